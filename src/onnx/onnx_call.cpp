#include "onnx/onnx_call.hpp"

#include "support/text.hpp"

namespace chop::onnx {

int OnnxCall::version() const {
  const auto found = scope_.versions.find(is_main_domain(node_.domain()) ? "" : node_.domain());
  return found != scope_.versions.end() ? found->second : 1;
}

ImportValue OnnxCall::in(std::size_t i) const {
  if (importer_.failed()) return kNone;
  if (!has(i)) {
    fail(cat(op_type(), " has no input ", i));
    return kNone;
  }
  const auto found = names_.find(node_.input(static_cast<int>(i)));
  if (found != names_.end()) return found->second;
  fail(cat("it reads '", node_.input(static_cast<int>(i)), "', which nothing makes"));
  return kNone;
}

std::vector<ImportValue> OnnxCall::all_inputs() const {
  std::vector<ImportValue> operands;
  for (std::size_t i = 0; i < inputs(); ++i) operands.push_back(in(i));
  return operands;
}

void OnnxCall::out(std::size_t i, ImportValue value) const {
  if (!importer_.failed() && wants(i)) names_[node_.output(static_cast<int>(i))] = value;
}

const proto::AttributeProto* OnnxCall::find(std::string_view name) const {
  for (const proto::AttributeProto& attribute : node_.attribute())
    if (attribute.name() == name) {
      read_.insert(attribute.name());
      return &attribute;
    }
  return nullptr;
}

void OnnxCall::refuse_unread(const std::vector<std::string_view>& without_effect) const {
  for (const proto::AttributeProto& attribute : node_.attribute()) {
    const std::string& name = attribute.name();
    if (read_.contains(name) || std::ranges::find(without_effect, name) != without_effect.end())
      continue;
    if (name == "consumed_inputs") continue;  // a hint of the first versions
    return fail(cat(op_type(), " has the attribute '", name, "', which cannot be imported"),
                cat("it is unknown in operator set ", version(), ", or not supported"));
  }
}

void OnnxCall::fail(std::string what, std::string hint) const {
  importer_.fail({.what = std::move(what), .hint = std::move(hint)});
}

std::int64_t OnnxCall::integer(std::string_view name, std::int64_t otherwise) const {
  const auto* found = find(name);
  return found != nullptr ? found->i() : otherwise;
}

double OnnxCall::real(std::string_view name, double otherwise) const {
  const auto* found = find(name);
  return found != nullptr ? static_cast<double>(found->f()) : otherwise;
}

std::string OnnxCall::text(std::string_view name, std::string_view otherwise) const {
  const auto* found = find(name);
  return found != nullptr ? found->s() : std::string(otherwise);
}

Ints OnnxCall::ints(std::string_view name, Ints otherwise) const {
  const auto* found = find(name);
  return found != nullptr ? Ints(found->ints().begin(), found->ints().end()) : otherwise;
}

std::vector<double> OnnxCall::reals(std::string_view name) const {
  const auto* found = find(name);
  return found != nullptr ? std::vector<double>(found->floats().begin(), found->floats().end())
                          : std::vector<double>();
}

Ints OnnxCall::ints_from(std::string_view attribute, std::size_t input, Ints otherwise) const {
  if (has_attr(attribute)) return ints(attribute);
  if (has(input)) return importer_.need_ints(in(input), cat("`", attribute, "` of ", op_type()));
  return otherwise;
}

int OnnxCall::uses(std::size_t i) const {
  const auto found = scope_.uses.find(node_.input(static_cast<int>(i)));
  return found != scope_.uses.end() ? found->second : 0;
}

std::int64_t OnnxCall::axis(std::int64_t given, std::size_t rank) const {
  const auto count = static_cast<std::int64_t>(rank);
  if (given >= -count && given < count) return given < 0 ? given + count : given;
  fail(cat(op_type(), ": axis ", given, " of a tensor with ", rank, " dimensions"));
  return 0;
}

}  // namespace chop::onnx

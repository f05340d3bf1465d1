#include "ir/attr.hpp"

#include <bit>

#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop::ir {
namespace {

template <class T, class Show>
std::string listed(const std::vector<T>& values, Show show) {
  std::vector<std::string> parts;
  parts.reserve(values.size());
  for (const T& value : values) parts.push_back(show(value));
  return join(parts, ", ");
}

std::string show_int(std::int64_t value) {
  return std::to_string(value);
}

struct ToText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return show_int(value); }
  std::string operator()(double value) const { return exact_bits(value); }
  std::string operator()(const std::string& value) const { return in_quotes(value); }
  std::string operator()(const Ints& values) const { return "[" + listed(values, show_int) + "]"; }
  std::string operator()(const std::vector<double>& values) const {
    return "reals[" + listed(values, [](double v) { return exact_bits(v); }) + "]";
  }
};

struct ToPython {
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(std::int64_t value) const { return show_int(value); }
  std::string operator()(double value) const { return python_repr(value); }
  std::string operator()(const std::string& value) const { return in_python_quotes(value); }
  std::string operator()(const Ints& values) const {
    return "(" + listed(values, show_int) + (values.size() == 1 ? ",)" : ")");
  }
  std::string operator()(const std::vector<double>& values) const {
    return "(" + listed(values, python_repr) + (values.size() == 1 ? ",)" : ")");
  }
};

bool same_real(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

Attrs::Attrs() = default;
Attrs::Attrs(std::initializer_list<value_type> entries) : map(entries) {}
Attrs::Attrs(const Attrs& other) = default;
Attrs::Attrs(Attrs&& other) noexcept = default;
Attrs& Attrs::operator=(const Attrs& other) = default;
Attrs& Attrs::operator=(Attrs&& other) noexcept = default;
Attrs::~Attrs() = default;

Attr& Attrs::operator[](const std::string& name) {
  return map::operator[](name);
}

bool same_bits(const Attrs& a, const Attrs& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && same_bits(x.second, y.second);
  });
}

bool same_bits(const Attr& a, const Attr& b) {
  if (a.index() != b.index()) return false;
  if (const auto* real = std::get_if<double>(&a)) return same_real(*real, std::get<double>(b));
  if (const auto* reals = std::get_if<std::vector<double>>(&a)) {
    const auto& others = std::get<std::vector<double>>(b);
    return std::equal(reals->begin(), reals->end(), others.begin(), others.end(), same_real);
  }
  return a == b;
}

FieldKind kind_of(const Attr& attr) {
  static constexpr std::array<FieldKind, 6> kKinds = {FieldKind::Flag,     FieldKind::Integer,
                                                      FieldKind::Real,     FieldKind::Text,
                                                      FieldKind::Integers, FieldKind::Reals};
  return kKinds.at(attr.index());
}

std::string to_text(const Attr& attr) {
  return std::visit(ToText{}, attr);
}

std::string to_python(const Attr& attr) {
  return std::visit(ToPython{}, attr);
}

Result<Attr> convert(FieldKind kind, const Attr& value) {
  if (kind == kind_of(value)) return value;
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (kind == FieldKind::Real && whole != nullptr) return Attr(static_cast<double>(*whole));
  if (kind == FieldKind::Integers && whole != nullptr) return Attr(Ints{*whole});
  if (kind == FieldKind::Reals) {
    if (whole != nullptr) return Attr(std::vector<double>{static_cast<double>(*whole)});
    if (const auto* real = std::get_if<double>(&value)) return Attr(std::vector<double>{*real});
    if (const auto* list = std::get_if<Ints>(&value))
      return Attr(std::vector<double>(list->begin(), list->end()));
  }
  return Error{.what = cat(to_text(value), " is ", in_a_sentence(kind_of(value)), ", expected ",
                           in_a_sentence(kind))};
}

std::optional<Attr> attr_of(const Tree& tree) {
  if (const bool* flag = tree.as_flag()) return Attr(*flag);
  if (const std::int64_t* whole = tree.as_integer()) return Attr(*whole);
  if (const double* real = tree.as_real()) return Attr(*real);
  if (const std::string* text = tree.as_text()) return Attr(*text);
  if (!tree.is_list()) return {};
  Ints wholes;
  std::vector<double> reals;
  for (const Tree& item : *tree.as_list()) {
    if (!item.is_number()) return {};
    if (const std::int64_t* whole = item.as_integer()) wholes.push_back(*whole);
    reals.push_back(item.number());
  }
  if (wholes.size() == reals.size()) return Attr(std::move(wholes));
  return Attr(std::move(reals));
}

Attr default_of(const Field& field) {
  const std::optional<Attr> attr = attr_of(field.initial);
  assert(attr && "a field without a default, or one that no attribute can have");
  return convert(kind_of(field), *attr).value();
}

}  // namespace chop::ir

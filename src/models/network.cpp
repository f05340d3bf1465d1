// From a NetworkSpec to a graph: sizes are taken from the values a layer reads.
#include "models/network.hpp"

#include <cstdlib>

#include "ops/core/builder.hpp"
#include "ops/core/registry.hpp"
#include "support/text.hpp"

namespace chop::models {
namespace {

constexpr std::size_t kMostLayers = 10'000;
constexpr std::int64_t kLargestNumber = std::int64_t{1} << 31;  // so that no sum overflows

/// The largest whole number in an attribute, either sign; 0 when there is none.
std::int64_t largest(const Attr& attr) {
  const auto size = [](std::int64_t v) {
    return v < -kLargestNumber ? kLargestNumber + 1 : std::abs(v);
  };
  if (const auto* whole = std::get_if<std::int64_t>(&attr)) return size(*whole);
  std::int64_t most = 0;
  if (const auto* list = std::get_if<Ints>(&attr))
    for (const std::int64_t v : *list) most = std::max(most, size(v));
  return most;
}

/// An op by its own name or by the name of its torch.nn class; nothing only gradients use.
Result<const OpDef*> op_by_any_name(const std::string& name) {
  std::vector<std::string> names;
  for (const OpDef& op : all_ops()) {
    if (op.mase_type == MaseType::Gradient) continue;
    if (op.name == name || (!op.module.empty() && op.module == name)) return &op;
    names.emplace_back(op.name);
    if (!op.module.empty()) names.emplace_back(op.module);
  }
  return Error{.what = cat("unknown op '", name, "'"),
               .hint = cat(did_you_mean(name, names), "`ch ops` lists all")};
}

bool declares(const OpDef& op, std::string_view attr) {
  return find_field(op.attrs, attr) != nullptr;
}

class Assembler {
 public:
  Assembler(const NetworkSpec& network, const ModelArgs& args)
      : network_(network), classes_(args.num_classes), b_(network.name, args.seed) {
    Shape shape = {-1};
    shape.insert(shape.end(), args.sample_shape.begin(), args.sample_shape.end());
    values_["x"] = b_.input("x", std::move(shape));
  }

  Result<Graph> run() && {
    if (b_.failed()) return Error(*b_.error()).note(network_.file);
    Result<Value> last = sequence(network_.layers, values_.at("x"), "");
    if (!last) return std::move(last).error();
    const Shape wanted = {2, classes_};
    if (classes_ > 0 && b_.shape(last.value()) != wanted) return wrong_output(last.value());
    return std::move(b_).finish({last.value()});
  }

 private:
  Error wrong_output(Value last) const {
    Shape per_sample = b_.shape(last);
    if (!per_sample.empty()) per_sample.erase(per_sample.begin());
    const Shape wanted = {classes_};
    return {
        .what = cat("the network ends with ", to_string(per_sample), " per sample, but there ",
                    classes_ == 1 ? "is 1 class" : cat("are ", classes_, " classes")),
        .notes = {network_.layers.back().location},
        .hint = per_sample.size() == 1
                    ? "let the last linear layer have out_features = \"classes\""
                    : "end with \"flatten\" and { op = \"linear\", out_features = \"classes\" }"};
  }

  /// Copies of a repeated layer or block are distinguished by `copy`: ".0", ".1", ".1.2" ...
  Result<Value> sequence(const std::vector<LayerSpec>& layers, Value x, const std::string& copy) {
    const Value outer = block_;
    block_ = x;
    for (const LayerSpec& layer : layers) {
      CH_TRY(x, repeated(layer, x, copy));
      if (!layer.name.empty()) values_[layer.name] = x;
    }
    block_ = outer;
    return x;
  }

  Result<Value> repeated(const LayerSpec& layer, Value x, const std::string& copy) {
    for (std::int64_t i = 0; i < layer.repeat; ++i) {
      const std::string mine = layer.repeat == 1 ? copy : cat(copy, ".", i);
      Result<Value> y =
          layer.layers.empty() ? call(layer, x, i == 0, mine) : block(layer, x, i == 0, mine);
      if (!y) return layer.layers.empty() ? std::move(y).error().note(layer.location) : y;
      x = y.value();
    }
    return x;
  }

  Result<Value> block(const LayerSpec& layer, Value x, bool first, const std::string& copy) {
    if (first && !layer.inputs.empty()) {
      Result<Value> named = find(layer.inputs.front(), x);
      if (!named) return std::move(named).error().note(layer.location);
      x = named.value();
    }
    return sequence(layer.layers, x, copy);
  }

  Result<Value> find(const std::string& name, Value previous) const {
    if (name == "previous") return previous;
    if (name == "block") return block_;
    if (const auto found = values_.find(name); found != values_.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [known, value] : values_) names.push_back(known);
    return Error{.what = cat("no earlier layer is called '", name, "'"),
                 .hint = cat(did_you_mean(name, names), "known here are ", join(names, ", "),
                             ", previous and block")};
  }

  Result<Value> call(const LayerSpec& layer, Value x, bool first, const std::string& copy) {
    if (position_ == kMostLayers)
      return Error{.what = cat("the network has more than ", with_commas(kMostLayers), " layers"),
                   .hint = "repeat less often"};
    CH_TRY(const OpDef* op, op_by_any_name(layer.op));
    std::vector<Value> inputs;
    // A repeated layer reads what it names the first time, then its own copy before.
    for (const std::string& name : layer.inputs) {
      const bool chained = !first && layer.inputs.size() == 1;
      CH_TRY(inputs.emplace_back(), find(chained ? "previous" : name, x));
    }
    if (inputs.empty()) inputs = {x};
    if (inputs.size() < op->min_inputs)
      return Error{.what = cat(op->name, " needs ",
                               counted(static_cast<std::int64_t>(op->min_inputs), "input"),
                               ", it has ", inputs.size()),
                   .hint = "inputs = [\"previous\", \"a\"] reads the layer before and layer a"};
    CH_TRY(Attrs attrs, attributes(*op, layer, inputs.front()));
    const std::size_t number = position_++;
    const std::string target =
        layer.name.empty() ? cat("seq_blocks.", number) : cat(layer.name, copy);
    const Value y = add(*op, target, layer.name.empty(), std::move(inputs), std::move(attrs));
    if (b_.failed()) return *b_.error();
    return y;
  }

  Value add(const OpDef& op, const std::string& target, bool unnamed, std::vector<Value> inputs,
            Attrs attrs) {
    if (!op.module.empty()) return b_.module(op.name, target, std::move(inputs), std::move(attrs));
    std::string name = unnamed ? "" : target;
    std::replace(name.begin(), name.end(), '.', '_');
    if (!op.function.empty())
      return b_.function(op.name, std::move(inputs), std::move(attrs), name);
    return b_.method(op.name, std::move(inputs), std::move(attrs), name);
  }

  /// As written, with "classes" replaced and the sizes that follow from `x` filled in.
  Result<Attrs> attributes(const OpDef& op, const LayerSpec& layer, Value x) const {
    Attrs attrs = layer.attrs;
    if (has(op.traits, Trait::TrainingMode) && attrs.contains(ops::kTrainingAttr))
      return Error{.what = cat("a network does not set `", ops::kTrainingAttr, "`"),
                   .hint = "leave it out; `ch train` sets it"};
    for (const auto& [name, value] : attrs)
      if (largest(value) > kLargestNumber)
        return Error{.what = cat(name, " = ", to_text(value), " is too large"),
                     .hint = cat("sizes go up to ", with_commas(kLargestNumber))};
    for (const Field& def : op.attrs) {
      const auto found = attrs.find(std::string(def.name));
      if (found == attrs.end() || kind_of(def) != FieldKind::Integer ||
          found->second != Attr(std::string("classes")))
        continue;
      if (classes_ < 1)
        return Error{.what = cat(def.name, " = \"classes\", but their number is not known"),
                     .hint = "write classes = 5 in [model], or name a data set"};
      found->second = classes_;
    }
    const Shape& shape = b_.shape(x);
    if (shape.size() < 2) return attrs;
    const std::map<std::string, Attr> inferred = {{"in_features", shape.back()},
                                                  {"in_channels", shape[1]},
                                                  {"num_features", shape[1]},
                                                  {"num_channels", shape[1]},
                                                  {"normalized_shape", Ints{shape.back()}}};
    for (const auto& [name, value] : inferred)
      if (declares(op, name)) attrs.emplace(name, value);
    return attrs;
  }

  const NetworkSpec& network_;
  std::int64_t classes_;
  GraphBuilder b_;
  std::map<std::string, Value> values_;  ///< named layers so far, and x
  Value block_ = {};                     ///< what the innermost block reads
  std::size_t position_ = 0;
};

}  // namespace

Result<Graph> build_network(const NetworkSpec& network, const ModelArgs& args) {
  ModelArgs agreed = args;
  if (network.input) {
    if (!args.sample_shape.empty() && args.sample_shape != *network.input)
      return Error{
          .what = cat("network '", network.name, "' is written for samples of shape ",
                      to_string(*network.input), ", the data's are ", to_string(args.sample_shape)),
          .notes = {network.file},
          .hint = "leave input out of [model] to take the data set's shape"};
    agreed.sample_shape = *network.input;
  }
  if (network.classes) {
    if (args.num_classes != 0 && args.num_classes != *network.classes)
      return Error{.what = cat("network '", network.name, "' is written for ", *network.classes,
                               " classes, the data has ", args.num_classes),
                   .notes = {network.file},
                   .hint = "leave classes out of [model] to take the data set's number"};
    agreed.num_classes = *network.classes;
  }
  if (agreed.sample_shape.empty())
    return Error{.what = cat("the input shape of network '", network.name, "' is not known"),
                 .notes = {network.file},
                 .hint = "write input = [16] in [model], or name a data set"};
  return Assembler(network, agreed).run();
}

}  // namespace chop::models

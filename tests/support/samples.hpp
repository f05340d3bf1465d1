// Graphs and tensors made from the samples that ops declare.
#pragma once

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "ops/core/infer.hpp"
#include "ops/core/registry.hpp"
#include "runtime/reference.hpp"
#include "support/rng.hpp"

namespace chop::test {

struct Case {
  const OpDef* op;
  std::size_t number;

  const Sample& sample() const { return op->samples[number]; }
  std::string name() const { return cat(op->name, "_", number); }
};

inline void PrintTo(const Case& at, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << at.name();
}

inline std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const OpDef& op : all_ops())
    for (std::size_t i = 0; i < op.samples.size(); ++i) cases.push_back({&op, i});
  return cases;
}

inline Tensor draw(const SampleInput& input, const Stream& stream) {
  if (!is_floating(input.dtype)) {
    Tensor tensor(DType::I64, input.shape);
    std::uint64_t n = 0;
    for (std::int64_t& value : tensor.mutable_data<std::int64_t>())
      value = static_cast<std::int64_t>(input.low) +
              static_cast<std::int64_t>(
                  stream.below(n++, static_cast<std::uint64_t>(input.high - input.low)));
    return tensor.to(input.dtype);
  }
  Tensor tensor(DType::F32, input.shape);
  const auto out = tensor.mutable_data<float>();
  for (std::size_t i = 0; i < out.size(); ++i) {
    double value = input.low + (input.high - input.low) * stream.uniform(i);
    if (input.distinct) {  // a shuffled grid: (17 i mod n) visits all when 17 does not divide n
      const auto n = out.size();
      std::size_t step = 17;
      while (n % step == 0) step += 2;
      value = input.low + (input.high - input.low) * (static_cast<double>(i * step % n) + 0.5) /
                              static_cast<double>(n);
    }
    for (const double kink : input.avoid)
      if (std::abs(value - kink) < 0.05) value = kink + (value < kink ? -0.05 : 0.05);
    out[i] = static_cast<float>(value);
  }
  return tensor.to(input.dtype);
}

/// A lowered graph that calls the op once on placeholders x0, x1 ... and its parameters.
struct Made {
  Graph graph;
  NodeId call;
  NamedTensors inputs;
  std::vector<std::string> differentiable;  ///< float inputs and trainable parameters
};

inline Made make(const Case& at, bool training = false) {
  const OpDef& op = *at.op;
  Made made{Graph(std::string(op.name)), {}, {}, {}};
  Attrs attrs = at.sample().attrs;
  if (training && find_field(op.attrs, "training") != nullptr) attrs["training"] = true;
  std::vector<Value> values;
  for (std::size_t i = 0; i < at.sample().inputs.size(); ++i) {
    const SampleInput& input = at.sample().inputs[i];
    const std::string name = cat("x", i);
    values.push_back({made.graph.add(
        {.name = name,
         .opcode = Opcode::Placeholder,
         .op = "placeholder",
         .target = name,
         .attrs = {{"shape", input.shape}, {"dtype", std::string(name_of(input.dtype))}}})});
    made.inputs.emplace(name, draw(input, Stream(1, cat(at.name(), name))));
    if (input.dtype == DType::F32) made.differentiable.push_back(name);
  }
  for (const ParamDef& def : op.params) {
    const Call call{op, attrs};
    if (!is_present(def, call)) continue;
    const bool variance = def.name.ends_with("_var");
    const std::string name = cat("m.", def.name);
    made.graph.add_parameter(
        {name,
         draw(
             {.shape = def.shape(call), .low = variance ? 0.5 : -1.0, .high = variance ? 1.5 : 1.0},
             Stream(1, cat(at.name(), name))),
         def.trainable});
    if (def.trainable) made.differentiable.push_back(name);
    values.push_back({made.graph.add(
        {.name = name, .opcode = Opcode::GetAttr, .op = "get_attr", .target = name})});
  }
  made.call = made.graph.add({.name = "call",
                              .opcode = Opcode::CallFunction,
                              .op = std::string(op.name),
                              .target = std::string(op.name),
                              .inputs = values,
                              .attrs = attrs});
  made.graph.set_outputs({{made.call}});
  return made;
}

}  // namespace chop::test

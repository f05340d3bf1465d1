// Running a graph two ways, as a plan and by the reference in double, and comparing.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "compile/compile.hpp"
#include "compile/gradient.hpp"
#include "support/samples.hpp"

namespace chop::test {

/// A lowered graph, values for its placeholders, and the values we want to see.
struct Question {
  Graph graph;
  NamedTensors inputs;
  std::vector<Value> wanted;
  std::vector<std::string> names;  ///< of the wanted values, for messages
  std::int64_t batch = 2;
};

inline Value add_placeholder(Graph& graph, const std::string& name, const Shape& shape) {
  return {graph.add({.name = name,
                     .opcode = Opcode::Placeholder,
                     .op = "placeholder",
                     .target = name,
                     .attrs = {{"shape", shape}}})};
}

/// All results of the sample's call and, where it has one, its gradient: of Σ seed · result 0.
inline Question question_of(const Case& at, bool training) {
  Made made = make(at, training);
  const Types types = infer_types(made.graph, 2).value();
  const std::vector<TensorType>& out = types[index(made.call)];
  Question question{made.graph, made.inputs, {}, {}, 2};
  const bool differentiable = at.op->gradient != nullptr && is_floating(out[0].dtype) &&
                              !has(at.op->traits, Trait::NoGradient);
  if (differentiable && !made.differentiable.empty()) {
    const Value seed = add_placeholder(made.graph, "seed", out[0].shape);
    question.inputs.emplace(
        "seed", draw({.shape = out[0].shape, .low = 0.5, .high = 1.5}, Stream(2, "seed")));
    made.graph.set_outputs({{made.call}});
    GradientGraph backward =
        differentiate(made.graph, 2, {made.call}, made.differentiable, seed).value();
    question.graph = std::move(backward.graph);
    for (const auto& [name, value] : backward.gradients) {
      question.wanted.push_back(value);
      question.names.push_back(cat("gradient of ", name));
    }
  }
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    question.wanted.push_back({made.call, i});
    question.names.push_back(cat("result ", i));
  }
  question.graph.set_outputs(question.wanted);
  return question;
}

/// The steps without a kernel, which run the op's reference forward.
inline std::vector<std::string> reference_steps(const Plan& plan) {
  std::vector<std::string> lines;
  for (const StepInfo& step : plan.steps())
    if (step.backend == runtime::kReference) lines.push_back(step.describe());
  return lines;
}

/// A compiled question with memory of its own for parameters.
class Planned {
 public:
  Planned(const Question& question, int threads, bool reference_only = false, bool fuse = true)
      : inputs_(question.inputs) {
    for (const Parameter& parameter : question.graph.parameters())
      parameters_.emplace(parameter.name, parameter.value);
    const auto memory = [this](const std::string& name) {
      return parameters_.at(name).mutable_bytes();
    };
    Result<Compiled> compiled = compile_graph(question.graph,
                                              {.batch = question.batch,
                                               .threads = threads,
                                               .lowered = true,
                                               .verify = true,
                                               .fuse = fuse,
                                               .reference_only = reference_only},
                                              {.parameter = memory});
    if (compiled)
      plan_ = std::move(compiled).value().plan;
    else
      ADD_FAILURE() << to_string(compiled.error());
  }

  /// Fills the placeholders, runs, and copies the outputs.
  std::vector<Tensor> run(RunState state = {}) {
    for (const auto& [name, tensor] : inputs_) {
      const std::span<std::byte> to = plan_.input<std::byte>(name);
      if (to.data() != nullptr) std::memcpy(to.data(), tensor.bytes(), tensor.size_in_bytes());
    }
    EXPECT_TRUE(plan_.run(state));
    std::vector<Tensor> out;
    for (std::size_t i = 0; i < plan_.output_count(); ++i) {
      out.emplace_back(plan_.output_type(i));
      std::memcpy(out.back().mutable_bytes(), plan_.output<std::byte>(i).data(),
                  out.back().size_in_bytes());
    }
    return out;
  }

  const Tensor& parameter(const std::string& name) const { return parameters_.at(name); }
  const Plan& plan() const { return plan_; }

 private:
  NamedTensors inputs_;
  std::map<std::string, Tensor> parameters_;
  Plan plan_;
};

inline std::vector<Tensor> run_in_double(const Question& question, RunState state = {}) {
  Result<Values> values = run_reference(question.graph, question.inputs, state);
  if (!values) {
    ADD_FAILURE() << to_string(values.error());
    return {};
  }
  std::vector<Tensor> out;
  for (const Value& value : question.wanted)
    out.push_back(values.value()[index(value.node)][value.index]);
  return out;
}

/// The largest finite magnitude, at least `floor`.
inline double scale_of(const Tensor& tensor, double floor) {
  double scale = floor;
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    if (std::isfinite(tensor.at(i))) scale = std::max(scale, std::abs(tensor.at(i)));
  return scale;
}

/// Elements differ by at most `tolerance` of the tensor's scale; NaN and infinities match.
inline void expect_close(const std::vector<Tensor>& got, const std::vector<Tensor>& expected,
                         const std::vector<std::string>& names, double tolerance,
                         double floor = 1e-2) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    ASSERT_EQ(got[k].shape(), expected[k].shape()) << names[k];
    const double scale = scale_of(expected[k], floor);
    for (std::int64_t i = 0; i < got[k].size(); ++i) {
      const double want = static_cast<float>(expected[k].at(i));
      const double have = got[k].at(i);
      const bool same = have == want || (std::isnan(have) && std::isnan(want));
      if (same || std::abs(have - want) <= tolerance * scale) continue;
      ADD_FAILURE() << names[k] << ", element " << i << " of " << to_string(got[k].shape())
                    << ": plan " << have << ", reference " << expected[k].at(i) << ", scale "
                    << scale;
      break;
    }
  }
}

inline void expect_same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b,
                             const std::vector<std::string>& names) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_TRUE(a[k] == b[k]) << names[k];
    if (a[k] == b[k] || a[k].shape() != b[k].shape()) continue;
    for (std::int64_t i = 0; i < a[k].size(); ++i)
      if (a[k].at(i) != b[k].at(i) || std::signbit(a[k].at(i)) != std::signbit(b[k].at(i))) {
        ADD_FAILURE() << names[k] << ", element " << i << ": " << a[k].at(i) << " and "
                      << b[k].at(i);
        break;
      }
  }
}

}  // namespace chop::test

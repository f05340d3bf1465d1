// What the steps of the compiler work on: the graph on its way to a plan, and what they found out.
#pragma once

#include "compile/lower.hpp"
#include "compile/schedule.hpp"
#include "compile/target.hpp"
#include "ir/text/text.hpp"
#include "ops/core/infer.hpp"
#include "runtime/plan.hpp"

namespace chop::compile {

/// What a step did not do and why, for people.
struct Remark {
  std::string step;
  std::string text;
};

struct State {
  Target target;
  Memory memory = {};
  Graph graph;
  /// Of all values, for the rows of one slice; none while a step has changed the graph since.
  std::optional<Types> types = {};

  Lowered lowered;          ///< as the step `lower` left it; empty if the graph was lowered before
  std::string labels = {};  ///< the placeholder that the step `loss` added
  std::optional<Value> loss = {};               ///< what it computes
  std::map<std::string, Value> gradients = {};  ///< by parameter
  std::map<Value, std::byte*> placed = {};  ///< results with memory of their own; null: the plan's
  std::map<NodeId, std::vector<NodeId>> absorbed =
      {};  ///< calls that became part of another, in order
  Schedule schedule = {};
  std::set<NodeId> refused = {};  ///< heads of chains that no backend makes
  std::optional<Plan> plan = {};
  std::vector<Remark> remarks = {};

  /// Rows of the batch that run at a time.
  std::int64_t rows() const { return target.batch / schedule.slices; }
  /// Values that must be computed as they are: outputs, and results with memory of their own.
  std::set<Value> observed() const;
};

/// The text form (docs/ir-text.md), with what the steps found out as comments: types, constants,
/// chains, layouts, codes. `after` is the step that ran last. Once there is a
/// plan, its steps are listed instead.
std::string print(const State& state, std::string_view after, const PrintOptions& options = {});

/// What the steps rely on: the structure of the graph, and types that follow from it.
Status verify(const State& state);

}  // namespace chop::compile

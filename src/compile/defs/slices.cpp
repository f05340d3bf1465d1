// Batch tiling: how many rows of a batch run at a time, each through all steps, so that what is
// alive at the same time stays in the caches.
//
// mobilenetv2 with a batch of 16: one image has 5 MB alive at the most, so two run at a time and
// the plan runs its steps eight times. Chosen is the largest divisor of the batch whose rows fit,
// if the parameters, which every slice reads again, weigh less than what the rows write. What is
// alive is found by compiling for one row up to the layout and measuring that plan. Graphs with
// a call that mixes rows (a softmax over the batch, a loss) are not sliced.
#include "compile/plan/planner.hpp"
#include "compile/step_def.hpp"
#include "ops/core/registry.hpp"
#include "ops/core/rows.hpp"

namespace chop::compile::steps::slices {
namespace {

/// What a slice may keep alive: about what the caches of a core and its share of the common one
/// hold.
constexpr std::int64_t kMostAlive = std::int64_t{12} << 20;
/// Slices smaller than this cost more than they save: a batch of prime size has no other divisor
/// than 1.
constexpr std::int64_t kLeastAlive = kMostAlive / 16;

/// Only its first dimension is the batch's.
bool is_batch(const Node& placeholder) {
  const auto shape = placeholder.attrs.find("shape");
  if (shape == placeholder.attrs.end()) return false;
  const Ints& dims = std::get<Ints>(shape->second);
  return !dims.empty() && dims[0] == -1 && std::count(dims.begin(), dims.end(), -1) == 1;
}

/// Finds the calls that have a row for each item of the batch.
class RowFinder {
 public:
  RowFinder(const Graph& graph, const Types& types) : graph_(graph), types_(types) {}

  /// Nothing when a call mixes rows, or when an output has none.
  std::optional<std::set<NodeId>> run() {
    const std::span<const NodeId> order = graph_.order();
    if (!std::all_of(order.begin(), order.end(), [&](NodeId id) { return visit(id); })) return {};
    return std::move(by_row_);
  }
  /// The node that mixes rows, once run() has found one.
  const std::string& mixing() const { return graph_.node(visited_).name; }

 private:
  bool visit(NodeId id) {
    visited_ = id;
    const Node& node = graph_.node(id);
    if (node.opcode == Opcode::GetAttr) return true;
    if (node.opcode == Opcode::Placeholder) {
      by_row_.insert(id);
      return is_batch(node);
    }
    // Of a call's results only the first is known to have rows.
    for (const Value& input : node.inputs)
      if (by_row_.contains(input.node) && input.index != 0) return false;
    const auto has_rows = [&](const Value& input) { return by_row_.contains(input.node); };
    if (node.opcode == Opcode::Output)
      return std::all_of(node.inputs.begin(), node.inputs.end(), has_rows);
    if (std::none_of(node.inputs.begin(), node.inputs.end(), has_rows)) return true;
    by_row_.insert(id);
    return node.opcode == Opcode::CallFunction && keeps_rows_apart(id);
  }

  bool keeps_rows_apart(NodeId id) const {
    const Node& node = graph_.node(id);
    std::vector<TensorType> in;
    RowsCall call{{{{op_of(node), node.attrs}, {}}, types_[index(id)]}, {}};
    for (const Value& input : node.inputs) {
      in.push_back(type_of(types_, input));
      call.by_row.push_back(by_row_.contains(input.node));
    }
    call.in = in;
    return works_by_row(call);
  }

  const Graph& graph_;
  const Types& types_;
  std::set<NodeId> by_row_;
  NodeId visited_{};
};

/// Whether values have the same types for other numbers of rows, but for these numbers.
bool scale(const Graph& graph, const std::set<NodeId>& by_row, const Types& all, const Types& some,
           std::int64_t batch, std::int64_t rows) {
  for (const NodeId id : graph.order()) {
    if (graph.node(id).opcode == Opcode::Output) continue;
    if (!by_row.contains(id)) {
      if (all[index(id)] != some[index(id)]) return false;
      continue;
    }
    TensorType whole = all[index(id)][0];
    if (whole.shape.empty() || whole.shape[0] != batch) return false;
    whole.shape[0] = rows;
    if (whole != some[index(id)][0]) return false;
  }
  return true;
}

std::int64_t bytes_of(const Graph& graph, const Types& types, bool parameters) {
  std::int64_t bytes = 0;
  for (const NodeId id : graph.order())
    for (const TensorType& type : types[index(id)])
      if ((graph.node(id).opcode == Opcode::GetAttr) == parameters)
        bytes += static_cast<std::int64_t>(type.bytes());
  return bytes;
}

/// The largest divisor of the batch whose rows fit, if reading the parameters for each slice costs
/// less than the values of its rows.
std::int64_t choose(const Planner::Footprint& row, std::int64_t parameters, std::int64_t batch) {
  const auto alive = static_cast<std::int64_t>(row.alive);
  std::int64_t rows = std::min(batch, kMostAlive / std::max<std::int64_t>(alive, 1));
  while (rows > 1 && batch % rows != 0) --rows;
  const bool worth_it =
      rows * alive >= kLeastAlive && parameters < rows * static_cast<std::int64_t>(row.written);
  return worth_it ? rows : batch;
}

/// What one row of the batch needs.
Result<Planner::Footprint> measure_row(const State& state, Types types) {
  State row = state;
  row.target.batch = 1;
  row.types = std::move(types);
  CH_CHECK(run_between(row, "slices", "layout"));
  return Planner(row).measure();
}

/// Cuts the batch into slices of as many rows as divide it and fit the caches, where that pays.
void cut(State& state) {
  const std::int64_t batch = state.target.batch;
  const Types& types = *state.types;
  const Graph& graph = state.graph;
  if (batch < 2 || bytes_of(graph, types, false) <= kMostAlive) return;
  RowFinder finder(graph, types);
  const std::optional<std::set<NodeId>> by_row = finder.run();
  if (!by_row) {
    state.remarks.push_back(
        {"slices", cat("the batch is not sliced: '", finder.mixing(), "' mixes its rows")});
    return;
  }
  const auto fitting_types = [&](std::int64_t rows) -> std::optional<Types> {
    Result<Types> some = infer_types(graph, rows);
    if (!some || !scale(graph, *by_row, types, some.value(), batch, rows)) return {};
    return std::move(some).value();
  };
  std::optional<Types> of_row = fitting_types(1);
  if (!of_row) return;
  const Result<Planner::Footprint> row = measure_row(state, *std::move(of_row));
  if (!row) return;
  const std::int64_t rows = choose(row.value(), bytes_of(graph, types, true), batch);
  if (rows == batch) return;
  if (std::optional<Types> of_slice = fitting_types(rows)) {
    state.schedule.slices = batch / rows;
    state.types = std::move(of_slice);
  }
}

Status run(State& state) {
  cut(state);
  return {};
}

}  // namespace

StepDef define() {
  return {.name = "slices",
          .doc = "choose how many rows of a large batch run at a time, so that they fit the caches",
          .after = "fuse",
          .applies = when_frozen,
          .needs_types = true,
          .run = run};
}

}  // namespace chop::compile::steps::slices

// Turns a graph with its schedule into the steps of a plan: the order of calls, and the address of
// every value.
#pragma once

#include "compile/plan/live_ranges.hpp"
#include "compile/state.hpp"

namespace chop::compile {

/// A value's *root* is the value whose bytes it shares: itself, unless it is a view of its input
/// or overwrites an operand that dies with it.
class Planner {
 public:
  /// The state has types, and outlives the planner.
  explicit Planner(const State& state);
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  /// To be called once. Nothing when there are chains that no backend makes: refused() names them.
  /// An error when the values take more memory than there is.
  Result<std::optional<Plan>> run();
  const std::set<NodeId>& refused() const { return refused_; }

  /// What the plan would write to memory, without making it.
  struct Footprint {
    std::size_t written = 0;  ///< bytes of all values
    std::size_t alive = 0;    ///< the most at the same time, but for inputs and outputs
  };
  Footprint measure();

 private:
  bool is_view(NodeId id) const;
  bool is_step(NodeId id) const;
  void find_repeats();
  void find_parameters();
  void find_placed();
  void place_constants();
  void number_steps();
  bool in_arena(Value value) const;
  Value root(Value value) const;
  void find_roots();
  bool may_overwrite(NodeId id, Value in, Value base) const;
  std::size_t read_until(Value value) const;
  std::size_t last_use(Value base) const;
  void find_live_ranges();
  Status check_memory() const;
  bool wanted(Value value) const;
  std::byte* memory_of(Value value) const;
  bool is_whole(Value base) const;
  TensorType whole_type(Value value) const;
  void assemble();
  void find_moving();
  void find_meetings();

  std::byte* own_memory(std::size_t bytes);
  Plan::Step make_step(NodeId id);
  std::vector<NodeId> nodes_of(NodeId id) const;
  KernelCall call_of(NodeId id, std::vector<TensorType>& in) const;
  const float* fixed_values(Value value) const;
  Plan::Step make_conversion(NodeId id);
  void add_chain(const Chain& chain);
  void add_epilogue(NodeId id, Value from, Plan::Step& step, Epilogue& epilogue) const;
  void add_output(Value value, Plan::Step& step, Epilogue& epilogue) const;
  void add_copy(NodeId id);

  const State& state_;
  const Graph& graph_;
  const Schedule& schedule_;
  std::int64_t slices_;
  Types types_;  ///< those of the state, with bytes where values are kept so
  Plan::Parts parts_;
  std::set<NodeId> refused_;
  std::map<NodeId, const Chain*> chain_of_;
  std::set<NodeId> repeats_;  ///< quantisers of values that are on their grid already
  std::map<std::string, std::byte*> parameters_;
  std::size_t steps_ = 0;
  std::vector<std::size_t> step_of_;
  std::map<Value, std::size_t> last_read_;
  std::map<Value, std::size_t> shared_last_;
  std::map<Value, Value> root_;
  std::map<Value, std::byte*> placed_;
  std::map<Value, std::size_t> slot_;
  std::vector<LiveRange> live_ranges_;
};

}  // namespace chop::compile

// Turns a graph into the steps of a plan: who runs when, and where values lie.
#pragma once

#include <map>
#include <vector>

#include "runtime/plan/arrangement.hpp"
#include "runtime/plan/memory.hpp"
#include "runtime/plan/plan.hpp"

namespace chop::runtime {

/// A value's *root* is the value whose bytes it shares: itself, unless it is a view of its input
/// or overwrites an operand that dies with it.
class Planner {
 public:
  /// Types are those of one slice; the plan runs `slices` of them.
  Planner(Arranged arranged, const CompileOptions& options, std::int64_t slices = 1);

  /// Nothing when a chain cannot be made after all.
  std::optional<Plan> run();

  /// What the plan would write to memory, without making it.
  struct Footprint {
    std::size_t written = 0;  ///< bytes of all values
    std::size_t alive = 0;    ///< the most at the same time, but for inputs and outputs
  };
  Footprint measure();

 private:
  bool is_view(NodeId id) const;
  bool is_step(NodeId id) const;
  void find_buffer_updates();
  void place_constants();
  void number_steps();
  bool in_arena(Value value) const;
  Value root(Value value) const;
  void find_roots();
  bool may_overwrite(NodeId id, Value in, Value base) const;
  std::size_t read_until(Value value) const;
  std::size_t last_life(Value base) const;
  void find_lifetimes();
  bool wanted(Value value) const;
  std::byte* memory_of(Value value) const;
  bool is_whole(Value base) const;
  TensorType whole_type(Value value) const;
  bool assemble();
  void find_moving();

  std::byte* own_memory(std::size_t bytes);
  Plan::Step make_step(NodeId id);
  KernelCall call_of(NodeId id, std::vector<TensorType>& in) const;
  const float* fixed_values(Value value) const;
  Plan::Step make_conversion(NodeId id);
  bool add_chain(const Chain& chain);
  void add_epilogue(NodeId id, Value from, Plan::Step& step, Epilogue& epilogue) const;
  void keep(Value value, Plan::Step& step, Epilogue& epilogue) const;
  void add_copy(NodeId id);

  Graph graph_;
  Types types_;
  Arrangement arrangement_;
  const CompileOptions& options_;
  std::int64_t slices_;
  Plan plan_;
  std::map<NodeId, const Chain*> chain_of_;
  std::size_t steps_ = 0;
  std::vector<std::size_t> step_of_;
  std::map<Value, std::size_t> last_read_;
  std::map<Value, std::size_t> shared_last_;
  std::map<Value, Value> root_;
  std::map<Value, std::byte*> placed_;
  std::map<Value, std::size_t> slot_;
  std::vector<Lifetime> lifetimes_;
};

}  // namespace chop::runtime

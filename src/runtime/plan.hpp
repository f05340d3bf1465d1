// A plan: what src/compile makes of a graph for known shapes, a list of steps over one block of
// memory. Compiling chooses kernels and lays out memory; running lays out no more
// (oneDNN's convolutions still make small tables of arguments for each call).
#pragma once

#include <functional>

#include "runtime/kernel.hpp"
#include "support/system/denormals.hpp"
#include "support/system/threads.hpp"

namespace chop::runtime {

/// What a step of a plan does.
struct StepInfo {
  std::string name;  ///< of the call whose result it gives: "seq_blocks_3"
  std::string op;    ///< of the call that does most of the work: "linear"
  /// The calls of the lowered graph that it runs, in order; none for a change of layout.
  std::vector<NodeId> nodes = {};
  std::optional<NodeId> serves = {};  ///< the call that a change of layout is for; none: the output
  std::vector<std::string> epilogue = {};  ///< what it does behind that: "relu"
  Layout layout = Layout::Dense;           ///< of its images
  /// Which backend runs it where there is a choice: "winograd"; "reference": the op's own formula.
  std::string_view backend = {};

  /// "seq_blocks_3: linear"
  std::string describe() const { return cat(name, ": ", op); }
};

/// Runs in one thread at a time: its memory is its own, and runs use it.
class Plan {
 public:
  struct Step {
    StepInfo info;
    Kernel kernel;
    KernelArgs args;
    std::function<Status(const KernelArgs&)> check = {};  ///< of its indices; empty: it has none
    bool meets_before = false;  ///< whether the members of a team meet before it
  };
  struct Slot {
    TensorType type;
    std::byte* memory = nullptr;
  };
  /// An operand or a result that is further on in memory with every slice.
  struct Moving {
    std::size_t step = 0;
    bool is_result = false;
    std::size_t operand = 0;
    std::byte* start = nullptr;
    std::size_t stride = 0;
  };
  /// What a plan is made of; src/compile puts it together.
  struct Parts {
    std::vector<Step> steps;
    std::vector<Moving> moving;
    std::size_t slices = 1;
    std::map<std::string, Slot, std::less<>> inputs;
    std::vector<Slot> outputs;
    std::shared_ptr<std::byte[]> memory;
    std::size_t memory_bytes = 0;
    std::vector<std::shared_ptr<std::byte[]>> constants;  ///< computed once, when compiled
    std::vector<Tensor> parameters;  ///< of the plan's own, where the caller has no memory for them
    int threads = 1;
    int team = 1;  ///< the most members that a team of threads can have for all steps
    Denormals denormals = Denormals::Zero;  ///< in runs, on all threads
    std::optional<Error> fault = {};        ///< of what was computed once; every run returns it
  };

  Plan() = default;
  explicit Plan(Parts parts) : parts_(std::move(parts)) {}

  /// Fails where an index among the data is outside; the outputs are then whatever they were.
  Status run(RunState state = {});
  /// The same, calling between(i) before step i (of every slice): for small things better done now
  /// and then, such as asking memory for what is needed next.
  template <class Between>
  Status run(RunState state, Between between) {
    if (parts_.fault) return *parts_.fault;
    const DenormalScope scope(parts_.denormals);
    if (parts_.team > 1) {
      const auto tell = [&](std::int64_t step) { between(static_cast<std::size_t>(step)); };
      if (const std::optional<Status> done = run_as_team(state, tell)) return *done;
    }
    const RunContext context{state, parts_.threads};
    std::vector<Step>& steps = parts_.steps;
    for (std::size_t slice = 0; slice < parts_.slices; ++slice) {
      move_to(slice);
      for (std::size_t i = 0; i < steps.size(); ++i) {
        between(i);
        if (steps[i].check) CH_CHECK(steps[i].check(steps[i].args));
        steps[i].kernel(steps[i].args, context);
      }
    }
    return {};
  }
  /// Runs, and returns the seconds each step took (over all slices), in the order of steps().
  Result<std::vector<double>> run_timed(RunState state = {});

  /// Memory of a placeholder, to be filled before run(); empty if the graph has none so named.
  template <class T = float>
  std::span<T> input(std::string_view name) const {
    const Slot* slot = find_input(name);
    if (slot == nullptr) return {};
    return {reinterpret_cast<T*>(slot->memory), static_cast<std::size_t>(numel(slot->type.shape))};
  }
  template <class T = float>
  std::span<const T> output(std::size_t number = 0) const {
    const Slot& slot = parts_.outputs[number];
    return {reinterpret_cast<const T*>(slot.memory),
            static_cast<std::size_t>(numel(slot.type.shape))};
  }
  const TensorType& output_type(std::size_t number = 0) const {
    return parts_.outputs[number].type;
  }
  std::size_t output_count() const { return parts_.outputs.size(); }

  std::size_t memory_bytes() const { return parts_.memory_bytes; }
  /// The most threads that can run all steps together, each the rows of its own (team.hpp).
  int team() const { return parts_.team; }
  /// How many parts of the batch run one after the other, each through all steps.
  std::size_t slice_count() const { return parts_.slices; }
  /// Whether a backend whose sums depend on the processor (oneDNN, AMX, Winograd on oneDNN) runs a
  /// step; all other kernels have the same bits wherever multiplications and additions are fused.
  bool depends_on_processor() const;
  std::size_t step_count() const { return parts_.steps.size(); }
  /// What each step does, in order.
  std::vector<StepInfo> steps() const;
  /// A line of each.
  std::vector<std::string> describe() const;

 private:
  const Slot* find_input(std::string_view name) const;
  /// Nothing if it does not pay now.
  std::optional<Status> run_as_team(const RunState& state, TaskRef between);
  void move_to(std::size_t slice);

  Parts parts_;
};

}  // namespace chop::runtime

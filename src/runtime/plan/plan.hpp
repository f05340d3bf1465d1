// A plan: a lowered graph compiled for known shapes into a list of steps over one block of
// memory. Compiling chooses kernels and lays out memory; running lays out no more
// (oneDNN's convolutions still make small tables of arguments for each call).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/core/infer.hpp"
#include "runtime/kernel.hpp"

namespace chop::runtime {

struct CompileOptions {
  int threads = 1;
  /// Memory of a parameter by name; it outlives the plan. Buffers are updated there.
  std::function<std::byte*(const std::string&)> parameter;
  /// Results to be written to memory of the caller's (gradients).
  std::map<Value, std::byte*> placed = {};
  /// Only reference forwards: the oracle in float32 storage.
  bool reference_only = false;
  bool fuse = true;
  /// Parameters keep their values while the plan lives, so kernels may prepare them once.
  bool frozen = false;
};

/// The calls of the lowered graph that a step runs, by name and op; a step that none asked for
/// (a change of layout) names the node it does it for.
struct StepContents {
  std::vector<std::pair<std::string, std::string>> calls = {};
  std::string serves = {};
};

/// Runs in one thread at a time: its memory is its own, and runs use it.
class Plan {
 public:
  /// Compiles for the types the batch size gives. The graph's outputs, and every placed
  /// value, are computed; what none of them needs is left out.
  static Result<Plan> compile(const Graph& lowered, std::int64_t batch,
                              const CompileOptions& options);

  void run(RunState state = {});
  /// The same, calling between(i) before step i (of every slice): for small things better done now
  /// and then, such as asking memory for what is needed next.
  template <class Between>
  void run(RunState state, Between between) {
    const RunContext context{state, threads_};
    for (std::size_t slice = 0; slice < slices_; ++slice) {
      move_to(slice);
      for (std::size_t i = 0; i < steps_.size(); ++i) {
        between(i);
        steps_[i].kernel(steps_[i].args, context);
      }
    }
  }
  /// Runs, and returns the seconds each step took (over all slices), in the order of describe().
  std::vector<double> run_timed(RunState state = {});

  /// Memory of a placeholder, to be filled before run(); empty if the graph has none so named.
  template <class T = float>
  std::span<T> input(std::string_view name) const {
    const Slot* slot = find_input(name);
    if (slot == nullptr) return {};
    return {reinterpret_cast<T*>(slot->memory), static_cast<std::size_t>(numel(slot->type.shape))};
  }
  template <class T = float>
  std::span<const T> output(std::size_t number = 0) const {
    const Slot& slot = outputs_[number];
    return {reinterpret_cast<const T*>(slot.memory),
            static_cast<std::size_t>(numel(slot.type.shape))};
  }
  const TensorType& output_type(std::size_t number = 0) const { return outputs_[number].type; }
  std::size_t output_count() const { return outputs_.size(); }

  std::size_t memory_bytes() const { return memory_bytes_; }
  /// How many parts of the batch run one after the other, each through all steps.
  std::size_t slice_count() const { return slices_; }
  std::size_t step_count() const { return steps_.size(); }
  /// "seq_blocks_2: linear" per step, in order; for profiles and tests.
  std::vector<std::string> describe() const;
  /// What each step does, in the same order.
  std::vector<StepContents> contents() const;
  /// The lines of describe() whose steps have no kernel and run the op's reference forward.
  std::vector<std::string> reference_steps() const;

 private:
  friend class Planner;
  struct Slot {
    TensorType type;
    std::byte* memory = nullptr;
  };
  struct Step {
    std::string name;
    std::string op;
    Kernel kernel;
    KernelArgs args;
    bool fast = true;
    StepContents contents = {};

    std::string describe() const { return cat(name, ": ", op); }
  };
  /// An operand or a result that is further on in memory with every slice.
  struct Moving {
    std::size_t step = 0;
    bool is_result = false;
    std::size_t operand = 0;
    std::byte* start = nullptr;
    std::size_t stride = 0;
  };
  const Slot* find_input(std::string_view name) const;
  void move_to(std::size_t slice);

  std::vector<Step> steps_;
  std::vector<Moving> moving_;
  std::size_t slices_ = 1;
  std::map<std::string, Slot, std::less<>> inputs_;
  std::vector<Slot> outputs_;
  std::shared_ptr<std::byte[]> memory_;
  std::vector<std::shared_ptr<std::byte[]>> constants_;  ///< computed once, when compiled
  std::size_t memory_bytes_ = 0;
  int threads_ = 1;
};

}  // namespace chop::runtime

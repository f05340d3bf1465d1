// A kernel: the fast way to compute one call, chosen when a plan is compiled.
//
// Kernels are made once per node with all shapes known, and then run without allocating.
// Work they share among threads is cut by shape alone, so results do not depend on how many
// threads there are. Files of runtime/kernels register them; an op without a kernel, or a
// call no kernel wants, runs its reference forward.
#pragma once

#include <concepts>
#include <functional>

#include "ops/core/op_def.hpp"
#include "runtime/conv/frozen/epilogue.hpp"

namespace chop::runtime {

struct RunContext {
  RunState state;
  int threads = 1;
};

/// Where the operands and results lie. A result nobody reads has a null pointer: kernels
/// skip it. A result may lie on the operand it replaces (elementwise ops, buffer updates).
struct KernelArgs {
  std::vector<const std::byte*> in;
  std::vector<std::byte*> out;

  template <class T = float>
  const T* input(std::size_t i) const {
    return reinterpret_cast<const T*>(in[i]);
  }
  template <class T = float>
  T* output(std::size_t i = 0) const {
    return reinterpret_cast<T*>(out[i]);
  }
};

/// The op of kernels that look at an op's definition instead of its name (kernels/any_op.cpp).
inline constexpr std::string_view kAnyOp = "any op";

/// The backend that runs the op's reference forward.
inline constexpr std::string_view kReference = "reference";

class Member;  // team.hpp

/// How the members of a team run a call together, with the bits of Kernel's own way.
struct TeamRun {
  std::int64_t rows = 0;  ///< of the batch
  std::int64_t work = 0;  ///< about as many multiply-adds as it takes the time of
  /// Operands and results of which a member reads and writes its own rows alone, a bit for each;
  /// of others all, and the first member writes.
  std::uint32_t rows_in = 0, rows_out = 0;
  std::uint32_t late_out = 0;  ///< results that are there after the next meeting
  bool meets = false;          ///< whether members meet within, before they write any result
  std::function<void(const KernelArgs&, Member&)> run;
};

/// What a step of a plan runs; empty where there is none.
class Kernel {
 public:
  using Run = std::function<void(const KernelArgs&, const RunContext&)>;

  Kernel() = default;
  template <class F>
  requires std::invocable<const F&, const KernelArgs&, const RunContext&> Kernel(
      F run, std::string_view backend = {}, std::optional<TeamRun> team = {})
      : run_(std::move(run)), backend_(backend), team_(std::move(team)) {}

  explicit operator bool() const { return static_cast<bool>(run_); }
  void operator()(const KernelArgs& args, const RunContext& context) const { run_(args, context); }
  /// Which of several backends runs it, such as "winograd" (conv/frozen/conv_backend.hpp) or
  /// kReference; empty where there is no choice.
  std::string_view backend() const { return backend_; }
  /// Null where it has no such way.
  const TeamRun* team() const { return team_ ? &*team_ : nullptr; }

 private:
  Run run_;
  std::string_view backend_;
  std::optional<TeamRun> team_;
};

/// How images [n, c, ...] lie in memory: as their shape says, or with the channels of each position
/// together (NHWC).
enum class Layout : std::uint8_t { Dense, ChannelsLast };

/// What a kernel is asked to do.
struct KernelCall : CostCall {
  std::string_view node_name;
  std::vector<bool> used;           ///< by result
  Layout layout = Layout::Dense;    ///< of all images among operands and results
  std::vector<const float*> fixed;  ///< by operand: its values where they never change, else null
  std::vector<std::optional<Grid>> grid;  ///< by operand: the fixed-point grid it lies on
  /// Roundings stay where the graph has them (but for the order in which inexact sums are added):
  /// number formats would turn the least difference into a whole step of theirs.
  bool exact = true;

  /// The values of a parameter; null when it is missing or changes.
  const float* fixed_parameter(std::string_view name) const;
};

/// The layouts of images that a kernel knows.
enum class Layouts : std::uint8_t {
  Dense,
  Same,  ///< any, as long as operands have the result's shape: it works element by element
  Both
};

struct KernelDef {
  std::string_view op;
  /// An empty Kernel means "not this call".
  Kernel (*make)(const KernelCall&);
  Layouts (*layouts)(const KernelCall&) = nullptr;  ///< null: Dense
  /// Whether results lie among, or between, the values of operand 0; null: never.
  bool (*keeps_range)(const KernelCall&) = nullptr;
  /// Whether each result is one of the values of operand 0, chosen by their order: the largest,
  /// say. Then it does not matter whether values are put on a grid before or after.
  bool (*selects_elements)(const KernelCall&) = nullptr;
  /// Of an op with Trait::Random: whether this call draws no numbers, so that it gives the same in
  /// every run; null: it may draw some.
  bool (*draws_nothing)(const KernelCall&) = nullptr;
  /// The epilogue ops that stand for this call, when the accumulators are its operand `from`; none
  /// when it cannot be part of a chain.
  Epilogue (*epilogue)(const KernelCall& call, std::size_t from) = nullptr;
  /// Whether the call can be the head of a chain.
  bool (*heads_chain)(const KernelCall&) = nullptr;
  /// The call with the epilogue behind it, whose operands come behind the call's own.
  Kernel (*make_chain)(const KernelCall& call, Epilogue epilogue) = nullptr;
};

inline Layouts same_layout(const KernelCall& /*call*/) {
  return Layouts::Same;
}
/// Images without a batch have their channels first of all.
template <std::size_t kDims>
Layouts layouts_of_batches(const KernelCall& call) {
  return call.shape(0).size() == kDims + 2 ? Layouts::Both : Layouts::Dense;
}
inline bool always(const KernelCall& /*call*/) {
  return true;
}
/// Whether all operands are float32.
bool all_float(const KernelCall& call);

/// The kernels that know an op, in the order in which they are asked.
std::vector<const KernelDef*> kernels_of(const OpDef& op);
/// The first kernel that takes the call, one of the op's own or one for any op; empty when none
/// does.
Kernel fast_kernel(const KernelCall& call);
/// The reference forward as a kernel: widens, runs in double, narrows.
Kernel reference_kernel(const KernelCall& call);

}  // namespace chop::runtime

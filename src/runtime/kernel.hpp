// A kernel: the fast way to compute one call, chosen when a plan is compiled.
//
// Kernels are made once per node with all shapes known, and then run without allocating.
// Work they share among threads is cut by shape alone, so results do not depend on how many
// threads there are. Files of runtime/kernels register them; an op without a kernel, or a
// call no kernel wants, runs its reference forward.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "ops/op_def.hpp"

namespace chop {

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

using Kernel = std::function<void(const KernelArgs&, const RunContext&)>;

/// What a kernel is asked to do.
struct KernelCall : CostCall {
  std::string_view node_name;
  std::vector<bool> used;  ///< by result
};

struct KernelDef {
  std::string_view op;
  /// An empty Kernel means "not this call".
  Kernel (*make)(const KernelCall&);
};

/// The first kernel that takes the call; empty when none does.
Kernel fast_kernel(const KernelCall& call);
/// The reference forward as a kernel: widens, runs in double, narrows.
Kernel reference_kernel(const KernelCall& call);

}  // namespace chop

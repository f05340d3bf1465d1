// The table of kernels by op, and the reference forward as a kernel of last resort.
#include "runtime/kernel.hpp"

#include <cstring>
#include <unordered_map>

#include "ops/core/registry.hpp"
#include "runtime/reference.hpp"

#include "kernels.inc"

namespace chop::runtime {
namespace {

/// By op; the kernels of one op in the order of their files and of the definitions there.
using KernelTable = std::unordered_map<std::string_view, std::vector<KernelDef>>;

const KernelTable& kernel_table() {
  static const KernelTable table = [] {
    KernelTable map;
    for (const auto& family : kernels::collected())
      for (const KernelDef& def : family) map[def.op].push_back(def);
    return map;
  }();
  return table;
}

std::span<const KernelDef> find_kernels(std::string_view op) {
  const auto found = kernel_table().find(op);
  return found == kernel_table().end() ? std::span<const KernelDef>() : found->second;
}

void widen(const TensorType& type, const std::byte* from, Tensor& to) {
  if (type.dtype != DType::F32) {
    Tensor stored(type);
    std::memcpy(stored.mutable_bytes(), from, stored.size_in_bytes());
    to = stored.to(to.dtype());
    return;
  }
  const auto* values = reinterpret_cast<const float*>(from);
  const auto out = to.mutable_data<double>();
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[i];
}

void narrow(const TensorType& type, const Tensor& from, std::byte* to) {
  if (type.dtype != DType::F32) {
    const Tensor stored = from.to(type.dtype);
    std::memcpy(to, stored.bytes(), stored.size_in_bytes());
    return;
  }
  auto* values = reinterpret_cast<float*>(to);
  const auto in = from.data<double>();
  for (std::size_t i = 0; i < in.size(); ++i) values[i] = static_cast<float>(in[i]);
}

/// Everything a reference call needs, allocated once.
struct ReferenceState {
  const OpDef& op;
  Attrs attrs;
  std::string name;
  std::vector<TensorType> in_types;
  std::vector<TensorType> out_types;
  std::vector<Tensor> in;
  std::vector<const Tensor*> in_pointers;
  std::vector<Tensor> out;
};

}  // namespace

Kernel reference_kernel(const KernelCall& call) {
  auto state = std::make_shared<ReferenceState>(ReferenceState{call.op,
                                                               call.attrs,
                                                               std::string(call.node_name),
                                                               {call.in.begin(), call.in.end()},
                                                               {call.out.begin(), call.out.end()},
                                                               {},
                                                               {},
                                                               {}});
  for (const TensorType& type : call.in)
    state->in.emplace_back(reference_dtype(type.dtype), type.shape);
  for (const Tensor& tensor : state->in) state->in_pointers.push_back(&tensor);
  for (const TensorType& type : call.out)
    state->out.emplace_back(reference_dtype(type.dtype), type.shape);
  return {[state](const KernelArgs& args, const RunContext& context) {
            for (std::size_t i = 0; i < state->in.size(); ++i)
              widen(state->in_types[i], args.in[i], state->in[i]);
            for (Tensor& tensor : state->out)
              std::memset(tensor.mutable_bytes(), 0, tensor.size_in_bytes());
            if (!is_void(state->out_types))
              state->op.forward({{state->op, state->attrs},
                                 state->name,
                                 context.state,
                                 state->in_pointers,
                                 state->out,
                                 state->out_types});
            for (std::size_t i = 0; i < state->out.size(); ++i)
              if (args.out[i] != nullptr) narrow(state->out_types[i], state->out[i], args.out[i]);
          },
          kReference};
}

const float* KernelCall::fixed_parameter(std::string_view name) const {
  const std::int64_t at = find(name);
  return at < 0 || static_cast<std::size_t>(at) >= fixed.size()
             ? nullptr
             : fixed[static_cast<std::size_t>(at)];
}

bool all_float(const KernelCall& call) {
  return std::all_of(call.in.begin(), call.in.end(),
                     [](const TensorType& type) { return type.dtype == DType::F32; });
}

std::vector<const KernelDef*> kernels_of(const OpDef& op) {
  std::vector<const KernelDef*> defs;
  for (const KernelDef& def : find_kernels(op.name)) defs.push_back(&def);
  return defs;
}

Kernel fast_kernel(const KernelCall& call) {
  if (is_void(call.out)) return Kernel([](const KernelArgs&, const RunContext&) {});
  for (const std::string_view op : {call.op.name, kAnyOp})
    for (const KernelDef& def : find_kernels(op))
      if (Kernel kernel = def.make(call)) return kernel;
  return {};
}

}  // namespace chop::runtime

// Kernels for any op that gives its function on one value, or on two that broadcast (OpDef::unary,
// OpDef::binary): asked when no kernel of the op's own takes the call. The function is called for
// each element in double, as the reference does, so the bits are the reference's; what is saved is
// widening and narrowing whole tensors, and looking for each element's operands.
#include "runtime/kernels/loops/typed_rows.hpp"

namespace chop::runtime::kernels {
namespace {

/// The attributes of a call, kept for as long as its kernel.
struct KeptCall {
  const OpDef& op;
  Attrs attrs;

  Call call() const { return {op, attrs}; }
};

Kernel make_unary(const KernelCall& call) {
  const Unary& unary = call.op.unary;
  if (unary.value == nullptr || call.in.size() != 1 || call.in[0].dtype != call.out[0].dtype)
    return {};
  const auto kept = std::make_shared<const KeptCall>(KeptCall{call.op, call.attrs});
  Kernel kernel;
  with_stored_type(call.in[0].dtype, [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>)
      kernel = each_element<T, T>(call, [kept, value = unary.value](T x) {
        return static_cast<T>(value(static_cast<double>(x), kept->call()));
      });
    else if (unary.whole != nullptr && call.in[0].dtype != DType::Bool)
      kernel = each_element<T, T>(call, [kept, whole = unary.whole](T x) {
        return static_cast<T>(whole(static_cast<std::int64_t>(x), kept->call()));
      });
  });
  return kernel;
}

Kernel make_binary(const KernelCall& call) {
  const Binary& binary = call.op.binary;
  if (binary.value == nullptr || call.in.size() != 2 || call.in[0].dtype != call.in[1].dtype ||
      call.in[0].dtype != call.out[0].dtype)
    return {};
  Kernel kernel;
  with_stored_type(call.in[0].dtype, [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>)
      kernel = pair_kernel<T, T, T>(call, [value = binary.value](T a, T b) {
        return static_cast<T>(value(static_cast<double>(a), static_cast<double>(b)));
      });
    else if (binary.whole != nullptr && call.in[0].dtype != DType::Bool)
      kernel = pair_kernel<T, T, T>(call, [whole = binary.whole](T a, T b) {
        return static_cast<T>(whole(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
      });
  });
  return kernel;
}

}  // namespace

std::vector<KernelDef> any_op() {
  return {{kAnyOp, make_unary, same_layout}, {kAnyOp, make_binary, same_layout}};
}

}  // namespace chop::runtime::kernels

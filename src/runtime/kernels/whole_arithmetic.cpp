// add, sub, mul and div of whole numbers, which wrap around.
#include "ops/families/elementwise/whole.hpp"
#include "runtime/kernels/loops/typed_rows.hpp"

namespace chop::runtime::kernels {
namespace {

template <auto kFunction>
Kernel make(const KernelCall& call) {
  if (call.in.size() != 2 || call.in[0].dtype != call.in[1].dtype ||
      call.in[0].dtype == DType::Bool)
    return {};
  Kernel kernel;
  with_stored_type(call.in[0].dtype, [&]<class T>(T) {
    if constexpr (!std::is_floating_point_v<T>)
      kernel = pair_kernel<T, T, T>(call, [](T a, T b) {
        return static_cast<T>(
            kFunction(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
      });
  });
  return kernel;
}

}  // namespace

std::vector<KernelDef> whole_arithmetic() {
  return {{"add", make<ops::wrapping_add>, same_layout},
          {"sub", make<ops::wrapping_sub>, same_layout},
          {"mul", make<ops::wrapping_mul>, same_layout},
          {"div", make<ops::wrapping_div>, same_layout}};
}

}  // namespace chop::runtime::kernels

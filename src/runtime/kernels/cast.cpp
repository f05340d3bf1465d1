// cast: elements of one dtype as those of another. Real numbers become whole ones by dropping what
// is behind the point; what does not fit becomes the nearest that does, NaN 0.
#include "runtime/kernels/loops/typed_rows.hpp"

namespace chop::runtime::kernels {
namespace {

template <class To, class From>
To converted(From x) {
  if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(static_cast<double>(x));  // whole numbers are rounded to double first
  } else if constexpr (std::is_floating_point_v<From>) {
    using Limits = std::numeric_limits<To>;
    const auto wide = static_cast<double>(x);
    if (!(wide > static_cast<double>(Limits::min()))) return wide == wide ? Limits::min() : To{0};
    if (wide >= static_cast<double>(Limits::max())) return Limits::max();
    return static_cast<To>(wide);
  } else {
    using Limits = std::numeric_limits<To>;
    const auto wide = static_cast<std::int64_t>(x);
    return static_cast<To>(std::clamp<std::int64_t>(wide, static_cast<std::int64_t>(Limits::min()),
                                                    static_cast<std::int64_t>(Limits::max())));
  }
}

template <class From>
Kernel to_truth(const KernelCall& call) {
  return each_element<From, std::uint8_t>(
      call, [](From x) { return static_cast<std::uint8_t>(x != From{0}); });
}

Kernel make_cast(const KernelCall& call) {
  Kernel kernel;
  with_stored_type(call.in[0].dtype, [&]<class From>(From) {
    if (call.out[0].dtype == DType::Bool) {
      kernel = to_truth<From>(call);
      return;
    }
    with_stored_type(call.out[0].dtype, [&]<class To>(To) {
      kernel = each_element<From, To>(call, [](From x) { return converted<To>(x); });
    });
  });
  return kernel;
}

}  // namespace

std::vector<KernelDef> cast() {
  return {{"cast", make_cast, same_layout}};
}

}  // namespace chop::runtime::kernels

// Comparisons, logic and where, on elements of any dtype.
#include <functional>

#include "runtime/kernels/loops/typed_rows.hpp"

namespace chop::runtime::kernels {
namespace {

using Truth = std::uint8_t;

template <class Compare>
Kernel make_comparison(const KernelCall& call) {
  if (call.in[0].dtype != call.in[1].dtype) return {};
  Kernel kernel;
  with_stored_type(call.in[0].dtype, [&]<class T>(T) {
    kernel = pair_kernel<T, T, Truth>(
        call, [](T a, T b) { return static_cast<Truth>(Compare{}(a, b) ? 1 : 0); });
  });
  return kernel;
}

template <class Connect>
Kernel make_connective(const KernelCall& call) {
  return pair_kernel<Truth, Truth, Truth>(
      call, [](Truth a, Truth b) { return static_cast<Truth>(Connect{}(a != 0, b != 0) ? 1 : 0); });
}

Kernel make_not(const KernelCall& call) {
  return each_element<Truth, Truth>(call, [](Truth x) { return static_cast<Truth>(x == 0); });
}

Kernel make_isnan(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32) return {};
  return each_element<float, Truth>(call, [](float x) { return static_cast<Truth>(x != x); });
}

/// Elements are copied, so only their size matters.
template <class T>
Kernel where_of(const KernelCall& call) {
  return broadcast_rows<3>(call, [](const Row& row) {
    const auto* const condition = row.in<Truth>(0);
    const T* const a = row.in<T>(1);
    const T* const b = row.in<T>(2);
    T* const y = row.out<T>();
    const std::int64_t c_step = row.moves[0] ? 1 : 0;
    const std::int64_t a_step = row.moves[1] ? 1 : 0;
    const std::int64_t b_step = row.moves[2] ? 1 : 0;
    for (std::int64_t i = 0; i < row.count; ++i) {
      const T yes = a[i * a_step];
      const T no = b[i * b_step];
      y[i] = condition[i * c_step] != 0 ? yes : no;
    }
  });
}

Kernel make_where(const KernelCall& call) {
  if (call.in[1].dtype != call.in[2].dtype) return {};
  switch (size_of(call.in[1].dtype)) {
    case 1:
      return where_of<std::uint8_t>(call);
    case 2:
      return where_of<std::uint16_t>(call);
    case 4:
      return where_of<std::uint32_t>(call);
    default:
      return where_of<std::uint64_t>(call);
  }
}

}  // namespace

std::vector<KernelDef> truth() {
  return {{"eq", make_comparison<std::equal_to<>>, same_layout},
          {"ne", make_comparison<std::not_equal_to<>>, same_layout},
          {"lt", make_comparison<std::less<>>, same_layout},
          {"le", make_comparison<std::less_equal<>>, same_layout},
          {"gt", make_comparison<std::greater<>>, same_layout},
          {"ge", make_comparison<std::greater_equal<>>, same_layout},
          {"logical_and", make_connective<std::logical_and<>>, same_layout},
          {"logical_or", make_connective<std::logical_or<>>, same_layout},
          {"logical_xor", make_connective<std::not_equal_to<>>, same_layout},
          {"logical_not", make_not, same_layout},
          {"isnan", make_isnan, same_layout},
          {"where", make_where, same_layout}};
}

}  // namespace chop::runtime::kernels

// The micro-kernel of products in double: six rows of A by four vectors of the panel where there
// are registers for it, else by two.
#include "runtime/gemm/double_panel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/gemm/double_panel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

using DoubleTag = hn::CappedTag<double, 8>;
using D = hn::Vec<DoubleTag>;
constexpr DoubleTag kDoubles{};
constexpr int kLanes = static_cast<int>(hn::MaxLanes(kDoubles));
constexpr int kVectors = kLanes >= 8 ? 4 : 2;
constexpr int kWidth = kVectors * kLanes;

template <int kRows>
HWY_INLINE void tile(const DoublePanel& p, const double* a, const double* panel, double* c) {
  D sum[kRows][kVectors];
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(kDoubles);
  for (std::int64_t k = 0; k < p.k; ++k, panel += kDoublePanel) {
    D b[kVectors];
    for (int v = 0; v < kVectors; ++v) b[v] = hn::LoadU(kDoubles, panel + v * kLanes);
    for (int r = 0; r < kRows; ++r) {
      const D left = hn::Set(kDoubles, a[r * p.a_row + k]);
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(left, b[v], sum[r][v]);
    }
  }
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v)
      hn::StoreU(sum[r][v], kDoubles, c + r * p.c_row + v * kLanes);
}

void run_panel(const DoublePanel& p, const double* a, const double* panel, double* c) {
  for (std::int64_t j = 0; j < kDoublePanel; j += kWidth) {
    std::int64_t i = 0;
    for (; i + 6 <= p.m; i += 6) tile<6>(p, a + i * p.a_row, panel + j, c + i * p.c_row + j);
    for (; i + 2 <= p.m; i += 2) tile<2>(p, a + i * p.a_row, panel + j, c + i * p.c_row + j);
    for (; i < p.m; ++i) tile<1>(p, a + i * p.a_row, panel + j, c + i * p.c_row + j);
  }
}

}  // namespace
}  // namespace chop::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::runtime {
HWY_EXPORT(run_panel);

void DoublePanel::run(const double* a, const double* panel, double* c) const {
  HWY_DYNAMIC_DISPATCH(run_panel)(*this, a, panel, c);
}

}  // namespace chop::runtime
#endif

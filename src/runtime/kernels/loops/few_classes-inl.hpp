// Softmax and log-likelihood of rows of few classes: a vector of rows at a time, each vector
// holding one class of all of them. With 5 classes and AVX-512 the logits of 16 rows are 5 vectors:
//
//   in memory     r0c0 r0c1 r0c2 r0c3 r0c4 r1c0 ...    vector 0 of the rows
//   by classes    r0c0 r1c0 r2c0 ... r15c0             class 0
//                 r0c1 r1c1 r2c1 ... r15c1             class 1, and so on
//
// Maximum, exponentials and sums are then elementwise over classes. Compiled once per instruction
// set, from cross_entropy.cpp.
#ifndef CH_FEW_CLASSES
#define CH_FEW_CLASSES
#include "support/layers.hpp"

namespace chop::runtime::kernels {
/// Classes up to which whole vectors of rows fit the registers.
constexpr std::int64_t kFewClasses = 16;
/// Rows done together: whole vectors on every processor. The rows left over are added up in another
/// order, so it must be the same number everywhere.
constexpr std::int64_t kRowsTogether = 16;

/// How `classes` vectors of logits, a vector of rows one after the other, become a vector for each
/// class, and back: lane l of result k is lane `lane[k][l]` of vector `from[k][l]`.
struct Turn {
  std::int32_t lane[kFewClasses][kRowsTogether];
  std::int32_t from[kFewClasses][kRowsTogether];
};
struct Turns {
  Turn to_classes;
  Turn to_rows;

  Turns(std::int64_t classes, std::int64_t lanes) : to_classes(), to_rows() {
    for (std::int64_t k = 0; k < classes; ++k)
      for (std::int64_t l = 0; l < lanes; ++l) {
        const std::int64_t source = l * classes + k;  // class k of row l
        to_classes.lane[k][l] = static_cast<std::int32_t>(source % lanes);
        to_classes.from[k][l] = static_cast<std::int32_t>(source / lanes);
        const std::int64_t target = k * lanes + l;  // class target % classes of its row
        to_rows.lane[k][l] = static_cast<std::int32_t>(target / classes);
        to_rows.from[k][l] = static_cast<std::int32_t>(target % classes);
      }
  }
};
}  // namespace chop::runtime::kernels
#endif

#if defined(CH_FEW_CLASSES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CH_FEW_CLASSES_INL
#undef CH_FEW_CLASSES_INL
#else
#define CH_FEW_CLASSES_INL
#endif

#include "runtime/simd_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::kernels::HWY_NAMESPACE {
using namespace chop::runtime::simd::HWY_NAMESPACE;
namespace {

/// Gathering and scattering sixteen floats takes several times as long as permuting vectors of
/// them; for eight it is about the same.
constexpr bool kPermutes = hn::MaxLanes(kTag) >= 16;

/// Applies a turn, whose masks are made once.
class Turner {
 public:
  Turner(const Turn& turn, std::int64_t classes) : turn_(turn), classes_(classes) {
    if constexpr (!kPermutes) return;
    const hn::RebindToSigned<Tag> ints;
    for (std::int64_t k = 0; k < classes; ++k)
      for (std::int64_t i = 1; i < classes; ++i)
        is_from_[k][i] = hn::RebindMask(kTag, hn::Eq(hn::LoadU(ints, turn.from[k]),
                                                     hn::Set(ints, static_cast<std::int32_t>(i))));
  }
  HWY_INLINE void operator()(const V* in, V* out) const {
    for (std::int64_t k = 0; k < classes_; ++k) {
      const auto lane = hn::SetTableIndices(kTag, turn_.lane[k]);
      V found = hn::TableLookupLanes(in[0], lane);
      for (std::int64_t i = 1; i < classes_; ++i)
        found = where(is_from_[k][i], hn::TableLookupLanes(in[i], lane), found);
      out[k] = found;
    }
  }

 private:
  const Turn& turn_;
  std::int64_t classes_;
  M is_from_[kFewClasses][kFewClasses];
};

/// value = softmax over the classes, each lane by itself; also the largest, and the sum of
/// e^(value - largest).
HWY_INLINE void softmax_of_lanes(V* value, std::int64_t c, V& top, V& sum) {
  top = set(-std::numeric_limits<float>::infinity());
  for (std::int64_t j = 0; j < c; ++j) top = where(hn::Gt(value[j], top), value[j], top);
  sum = zero();
  for (std::int64_t j = 0; j < c; ++j) {
    value[j] = exp_of(hn::Sub(value[j], top));
    sum = hn::Add(sum, value[j]);
  }
  const V inverse = hn::Div(one(), sum);
  for (std::int64_t j = 0; j < c; ++j) value[j] = hn::Mul(value[j], inverse);
}

/// p = softmax of each row, a vector of rows at a time; returns Σ log Σ e^(x - max) over rows and
/// adds up x[target] - max in `hits`. Every row has a target it knows.
double few_classes(const float* x, std::int64_t rows, std::int64_t c, const Turns& turns,
                   const std::int64_t* target, float* p, double* hits) {
  const hn::RebindToSigned<Tag> ints;
  const std::int64_t lanes = lane_count();
  const auto along = hn::Mul(hn::Iota(ints, 0), hn::Set(ints, static_cast<int>(c)));
  const Turner to_classes(turns.to_classes, c);
  const Turner to_rows(turns.to_rows, c);
  HWY_ALIGN float tops[hn::MaxLanes(kTag)];
  HWY_ALIGN float sums[hn::MaxLanes(kTag)];
  // Sums lie in [1, c], so that the product of 64 stays far from overflow.
  double product[4] = {1, 1, 1, 1};
  double logs = 0;
  double hit = 0;
  const auto take_logs = [&] {
    logs += std::log((product[0] * product[1]) * (product[2] * product[3]));
    for (double& each : product) each = 1;
  };
  for (std::int64_t row = 0; row + lanes <= rows; row += lanes) {
    const float* in = x + row * c;
    float* out = p + row * c;
    V given[kFewClasses];
    V value[kFewClasses];
    if constexpr (kPermutes) {
      for (std::int64_t j = 0; j < c; ++j) given[j] = hn::LoadU(kTag, in + j * lanes);
      to_classes(given, value);
    } else {
      for (std::int64_t j = 0; j < c; ++j) value[j] = hn::GatherIndex(kTag, in + j, along);
    }
    V top, sum;
    softmax_of_lanes(value, c, top, sum);
    if constexpr (kPermutes) {
      to_rows(value, given);
      for (std::int64_t j = 0; j < c; ++j) hn::StoreU(given[j], kTag, out + j * lanes);
    } else {
      for (std::int64_t j = 0; j < c; ++j) hn::ScatterIndex(value[j], kTag, out + j, along);
    }
    hn::StoreU(top, kTag, tops);
    hn::StoreU(sum, kTag, sums);
    for (std::int64_t r = 0; r < lanes; ++r) {
      product[r % 4] *= static_cast<double>(sums[r]);
      hit += static_cast<double>(in[r * c + target[row + r]] - tops[r]);
    }
    if ((row + lanes) % 64 == 0) take_logs();
  }
  take_logs();
  *hits = hit;
  return logs;
}

}  // namespace
}  // namespace chop::runtime::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

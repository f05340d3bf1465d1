// cross_entropy and its gradient over logits [n, c], in SIMD: one sweep for the exponentials
// of all rows together, so that few classes do not waste the vectors.
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/kernels/cross_entropy.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace chop::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
constexpr Tag kTag{};

void exp_in_place(float* x, std::size_t count) {
  const std::size_t lanes = hn::Lanes(kTag);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Exp(kTag, hn::LoadU(kTag, x + i)), kTag, x + i);
  if (i == count) return;
  const auto rest = hn::FirstN(kTag, count - i);
  hn::BlendedStore(hn::Exp(kTag, hn::MaskedLoad(rest, kTag, x + i)), rest, kTag, x + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace chop::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::kernels {
HWY_EXPORT(exp_in_place);
namespace {

struct Job {
  std::int64_t n, c;
  float scale;  ///< 1/n for the mean, 1 for the sum
};

std::optional<Job> job_of(const KernelCall& call, const Shape& logits) {
  if (logits.size() != 2 || call.real("label_smoothing") != 0.0) return {};
  const std::string& reduction = call.text("reduction");
  if (reduction != "mean" && reduction != "sum") return {};
  return Job{logits[0], logits[1],
             reduction == "mean" ? 1.0F / static_cast<float>(logits[0]) : 1.0F};
}

void forward(const Job& job, const float* x, const std::int64_t* target, float* loss, float* p) {
  double total = 0;
  for (std::int64_t row = 0; row < job.n; ++row) {
    const float* in = x + row * job.c;
    float* out = p + row * job.c;
    float top = in[0];
    for (std::int64_t j = 1; j < job.c; ++j) top = in[j] > top || in[j] != in[j] ? in[j] : top;
    for (std::int64_t j = 0; j < job.c; ++j) out[j] = in[j] - top;
    total -= out[target[row]];
  }
  HWY_DYNAMIC_DISPATCH(exp_in_place)(p, static_cast<std::size_t>(job.n * job.c));
  // Σ log s_row as the log of products of a few sums: each lies in [1, c], so the product of
  // eight stays far from overflow, and one logarithm serves eight rows.
  double product = 1;
  std::int64_t factors = 0;
  for (std::int64_t row = 0; row < job.n; ++row) {
    float* out = p + row * job.c;
    float sum = 0;
    for (std::int64_t j = 0; j < job.c; ++j) sum += out[j];
    const float inverse = 1.0F / sum;
    for (std::int64_t j = 0; j < job.c; ++j) out[j] *= inverse;
    product *= sum;
    if (++factors == 8 || row + 1 == job.n) {
      total += std::log(product);
      product = 1;
      factors = 0;
    }
  }
  if (loss != nullptr) *loss = static_cast<float>(total * static_cast<double>(job.scale));
}

Kernel make_forward(const KernelCall& call) {
  const auto job = job_of(call, call.shape(0));
  if (!job || call.in[0].dtype != DType::F32 || call.in[1].dtype != DType::I64) return {};
  // The probabilities may not be asked for; the sweep needs their memory all the same.
  auto spare = std::make_shared<std::vector<float>>();
  if (!call.used[1]) spare->resize(static_cast<std::size_t>(job->n * job->c));
  return [job = *job, spare](const KernelArgs& args, const RunContext& /*context*/) {
    float* p = args.out[1] != nullptr ? args.output(1) : spare->data();
    forward(job, args.input(0), args.input<std::int64_t>(1), args.output(0), p);
  };
}

Kernel make_grad(const KernelCall& call) {
  const auto job = job_of(call, call.shape(1));
  if (!job || call.in[1].dtype != DType::F32 || call.in[2].dtype != DType::I64) return {};
  return [job = *job](const KernelArgs& args, const RunContext& /*context*/) {
    const float scale = *args.input(0) * job.scale;
    const float* p = args.input(1);
    const auto* target = args.input<std::int64_t>(2);
    float* dx = args.output();
    for (std::int64_t i = 0; i < job.n * job.c; ++i) dx[i] = p[i] * scale;
    for (std::int64_t row = 0; row < job.n; ++row) dx[row * job.c + target[row]] -= scale;
  };
}

}  // namespace

std::vector<KernelDef> cross_entropy() {
  return {{"cross_entropy", make_forward}, {"cross_entropy_grad", make_grad}};
}

}  // namespace chop::kernels
#endif

// Elementwise functions and their gradients, in SIMD. The functions themselves are in
// unary_functions-inl.hpp.
#include "ops/core/registry.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/kernels/unary.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "runtime/kernels/loops/math_functions-inl.hpp"
#include "runtime/kernels/loops/unary_functions-inl.hpp"

#ifndef CH_UNARY_FUNCTION
#define CH_UNARY_FUNCTION
namespace chop::runtime::kernels {
enum class Function : unsigned char {
  Relu,
  Relu6,
  LeakyRelu,
  Elu,
  Selu,
  Silu,
  Sigmoid,
  Tanh,
  Hardtanh,
  Hardswish,
  Hardsigmoid,
  Softplus,
  Softsign,
  GeluErf,
  GeluTanh,
  Clamp,
  ThresholdedRelu,
  Shrink,
  Celu,
  Round,
  Floor,
  Ceil,
  Sign,
  Abs,
  Neg,
  Sqrt,
  Reciprocal,
  Exp,
  Log,
  Erf,
};
struct UnaryJob {
  Function function;
  float p = 0;
  float q = 0;
};
}  // namespace chop::runtime::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::kernels::HWY_NAMESPACE {
namespace {

template <class F>
void map_value(const UnaryJob& job, const float* x, float* y, std::int64_t count) {
  map(x, y, count, [&](V at) { return F::value(at, job.p, job.q); });
}

template <class F>
void map_slope(const UnaryJob& job, const float* dy, const float* x, const float* y, float* dx,
               std::int64_t count) {
  sweep(
      count,
      [&](std::int64_t i) {
        const V slope = F::slope(hn::LoadU(kTag, x + i), hn::LoadU(kTag, y + i), job.p, job.q);
        hn::StoreU(hn::Mul(hn::LoadU(kTag, dy + i), slope), kTag, dx + i);
      },
      [&](std::int64_t i, M m) {
        const V slope =
            F::slope(hn::MaskedLoad(m, kTag, x + i), hn::MaskedLoad(m, kTag, y + i), job.p, job.q);
        hn::BlendedStore(hn::Mul(hn::MaskedLoad(m, kTag, dy + i), slope), m, kTag, dx + i);
      });
}

/// What computes a function: its value and its slope.
template <Function kName, class F>
struct Named {};
template <class... Entries>
struct List {};
using Functions =
    List<Named<Function::Relu, Relu>, Named<Function::Relu6, Hardtanh>,
         Named<Function::Hardtanh, Hardtanh>, Named<Function::LeakyRelu, LeakyRelu>,
         Named<Function::Elu, Elu>, Named<Function::Selu, Elu>, Named<Function::Silu, Silu>,
         Named<Function::Sigmoid, Sigmoid>, Named<Function::Tanh, Tanh>,
         Named<Function::Hardswish, Hardswish>, Named<Function::Hardsigmoid, Hardsigmoid>,
         Named<Function::Softplus, Softplus>, Named<Function::Softsign, Softsign>,
         Named<Function::GeluErf, GeluErf>, Named<Function::GeluTanh, GeluTanh>,
         Named<Function::Clamp, Clamp>, Named<Function::ThresholdedRelu, ThresholdedRelu>,
         Named<Function::Shrink, Shrink>, Named<Function::Celu, Celu>,
         Named<Function::Round, Round>, Named<Function::Floor, Floor>, Named<Function::Ceil, Ceil>,
         Named<Function::Sign, Sign>, Named<Function::Abs, Abs>, Named<Function::Neg, Neg>,
         Named<Function::Sqrt, Sqrt>, Named<Function::Reciprocal, Reciprocal>,
         Named<Function::Exp, Exp>, Named<Function::Log, Log>, Named<Function::Erf, Erf>>;

template <class Visit, Function... kNames, class... F>
void with_function(Function function, Visit visit, List<Named<kNames, F>...> /*all*/) {
  (void)((kNames == function ? (visit(F{}), true) : false) || ...);
}

void unary_value(const UnaryJob& job, const float* x, float* y, std::int64_t count) {
  with_function(
      job.function, [&](auto f) { map_value<decltype(f)>(job, x, y, count); }, Functions{});
}

void unary_slope(const UnaryJob& job, const float* dy, const float* x, const float* y, float* dx,
                 std::int64_t count) {
  with_function(
      job.function, [&](auto f) { map_slope<decltype(f)>(job, dy, x, y, dx, count); }, Functions{});
}

}  // namespace
}  // namespace chop::runtime::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::runtime::kernels {
HWY_EXPORT(unary_value);
HWY_EXPORT(unary_slope);
namespace {

struct Entry {
  std::string_view op;
  Function function;
  std::string_view p = {};  ///< attribute that gives p
  std::string_view q = {};
  float p_value = 0;  ///< or its fixed value
  float q_value = 0;
  std::string_view when = {};  ///< a text attribute that must be `is`
  std::string_view is = {};
};

constexpr Entry kEntries[] = {
    {"relu", Function::Relu},
    {"relu6", Function::Relu6, {}, {}, 0.0F, 6.0F},
    {"leaky_relu", Function::LeakyRelu, "negative_slope"},
    {"elu", Function::Elu, "alpha", {}, 0.0F, 1.0F},
    {"selu", Function::Selu, {}, {}, 1.6732632423543772F, 1.0507009873554805F},
    {"silu", Function::Silu},
    {"sigmoid", Function::Sigmoid},
    {"tanh", Function::Tanh},
    {"hardtanh", Function::Hardtanh, "min_val", "max_val"},
    {"hardswish", Function::Hardswish},
    {"hardsigmoid", Function::Hardsigmoid},
    {"softplus", Function::Softplus, "beta", "threshold"},
    {"softsign", Function::Softsign},
    {.op = "gelu", .function = Function::GeluTanh, .when = "approximate", .is = "tanh"},
    {"gelu", Function::GeluErf},
    {"clamp", Function::Clamp, "min", "max"},
    {"thresholded_relu", Function::ThresholdedRelu, "alpha"},
    {"shrink", Function::Shrink, "lambd", "bias"},
    {"celu", Function::Celu, "alpha"},
    {"round", Function::Round},
    {"floor", Function::Floor},
    {"ceil", Function::Ceil},
    {"sign", Function::Sign},
    {"abs", Function::Abs},
    {"neg", Function::Neg},
    {"sqrt", Function::Sqrt},
    {"reciprocal", Function::Reciprocal},
    {"exp", Function::Exp},
    {"log", Function::Log},
    {"erf", Function::Erf},
};

/// The function and settings of an elementwise call, if there is SIMD code for it.
std::optional<UnaryJob> job_of(const Call& call) {
  for (const Entry& entry : kEntries) {
    if (entry.op != call.op.name) continue;
    if (!entry.when.empty() && call.text(entry.when) != entry.is) continue;
    UnaryJob job{entry.function, entry.p_value, entry.q_value};
    if (!entry.p.empty()) job.p = static_cast<float>(call.real(entry.p));
    if (!entry.q.empty()) job.q = static_cast<float>(call.real(entry.q));
    return job;
  }
  return {};
}

Kernel make_value(const KernelCall& call) {
  const auto job = job_of(call);
  if (!job || call.in[0].dtype != DType::F32) return {};
  const std::int64_t count = numel(call.shape(0));
  return [job = *job, count](const KernelArgs& args, const RunContext& context) {
    const float* x = args.input(0);
    float* y = args.output();
    in_chunks(context.threads, count, [&](std::int64_t first, std::int64_t length) {
      HWY_DYNAMIC_DISPATCH(unary_value)
      (job, x + first, y + first, length);
    });
  };
}

/// Those that only clamp.
Epilogue clamp_epilogue(const KernelCall& call, std::size_t /*from*/) {
  const auto job = job_of(call);
  switch (job->function) {
    case Function::Relu:
      return {clamp_op(0)};
    case Function::Relu6:
    case Function::Hardtanh:
      return {clamp_op(job->p, job->q)};
    case Function::Clamp:  // bounds the wrong way round have a rule of their own
      if (job->p > job->q || call.in[0].dtype != DType::F32) return {};
      return {clamp_op(job->p, job->q)};
    default:
      return {};
  }
}

Kernel make_slope(const KernelCall& call) {
  const OpDef& of = *find_op(call.text("of")).value();
  const auto job = job_of({of, call.attrs});
  if (!job || call.in[0].dtype != DType::F32) return {};
  const std::int64_t count = numel(call.shape(0));
  return [job = *job, count](const KernelArgs& args, const RunContext& context) {
    in_chunks(context.threads, count, [&](std::int64_t first, std::int64_t length) {
      HWY_DYNAMIC_DISPATCH(unary_slope)
      (job, args.input(0) + first, args.input(1) + first, args.input(2) + first,
       args.output() + first, length);
    });
  };
}

}  // namespace

std::vector<KernelDef> unary() {
  std::vector<KernelDef> defs = {{"unary_grad", make_slope}};
  for (const Entry& entry : kEntries)
    defs.push_back(
        {.op = entry.op, .make = make_value, .layouts = same_layout, .epilogue = clamp_epilogue});
  return defs;
}

}  // namespace chop::runtime::kernels
#endif

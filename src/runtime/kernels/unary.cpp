// Elementwise functions and their gradients, in SIMD.
//
// Each function is a struct with `value` and `slope` over vectors; p and q are its settings.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "ops/registry.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/kernels/unary.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "hwy/contrib/math/math-inl.h"

#ifndef CH_UNARY_FUNCTION
#define CH_UNARY_FUNCTION
namespace chop::kernels {
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
  GeluTanh,
};
struct UnaryJob {
  Function function;
  float p = 0;
  float q = 0;
};
}  // namespace chop::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace chop::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using V = hn::Vec<Tag>;
using M = hn::Mask<Tag>;
constexpr Tag kTag{};

V set(float x) {
  return hn::Set(kTag, x);
}
V zero() {
  return hn::Zero(kTag);
}
V one() {
  return set(1.0F);
}
V where(M m, V yes, V no) {
  return hn::IfThenElse(m, yes, no);
}

/// 1 / (1 + e^-x), without overflow for either sign.
V logistic(V x) {
  const V e = hn::Exp(kTag, hn::Neg(hn::Abs(x)));
  const V big = hn::Div(one(), hn::Add(one(), e));
  return where(hn::Lt(x, zero()), hn::Mul(e, big), big);
}

/// tanh by its odd series near zero, where Highway's loses relative accuracy, and by e^-2|x|
/// beyond.
V tanh_of(V x) {
  const V size = hn::Abs(x);
  const V e = hn::Exp(kTag, hn::Mul(set(-2.0F), size));
  const V far = hn::Div(hn::Sub(one(), e), hn::Add(one(), e));
  const V s = hn::Mul(x, x);
  V series = set(-1382.0F / 155925.0F);
  series = hn::MulAdd(series, s, set(62.0F / 2835.0F));
  series = hn::MulAdd(series, s, set(-17.0F / 315.0F));
  series = hn::MulAdd(series, s, set(2.0F / 15.0F));
  series = hn::MulAdd(series, s, set(-1.0F / 3.0F));
  const V near = hn::MulAdd(hn::Mul(series, s), size, size);
  return hn::CopySign(where(hn::Lt(size, set(0.35F)), near, far), x);
}

struct Relu {
  static V value(V x, float, float) { return where(hn::Lt(x, zero()), zero(), x); }
  static V slope(V, V y, float, float) { return where(hn::Gt(y, zero()), one(), zero()); }
};
struct Hardtanh {  // p = min, q = max; relu6 is (0, 6)
  static V value(V x, float p, float q) {
    return where(hn::Lt(x, set(p)), set(p), where(hn::Gt(x, set(q)), set(q), x));
  }
  static V slope(V x, V, float p, float q) {
    return where(hn::And(hn::Gt(x, set(p)), hn::Lt(x, set(q))), one(), zero());
  }
};
struct LeakyRelu {
  static V value(V x, float p, float) { return where(hn::Gt(x, zero()), x, hn::Mul(x, set(p))); }
  static V slope(V x, V, float p, float) { return where(hn::Gt(x, zero()), one(), set(p)); }
};
/// e^x - 1 without cancellation near zero.
V expm1_of(V x) {
  const V s = hn::MulAdd(
      x, hn::MulAdd(x, hn::MulAdd(x, set(1.0F / 120), set(1.0F / 24)), set(1.0F / 6)), set(0.5F));
  const V near = hn::MulAdd(hn::Mul(s, x), x, x);
  return where(hn::Lt(hn::Abs(x), set(0.1F)), near, hn::Sub(hn::Exp(kTag, x), one()));
}
struct Elu {  // p = alpha, q = scale (selu)
  static V value(V x, float p, float q) {
    const V negative = hn::Mul(set(p * q), expm1_of(hn::Min(x, zero())));
    return where(hn::Gt(x, zero()), hn::Mul(set(q), x), where(hn::Eq(x, x), negative, x));
  }
  static V slope(V x, V, float p, float q) {
    return where(hn::Gt(x, zero()), set(q), hn::Mul(set(p * q), hn::Exp(kTag, hn::Min(x, zero()))));
  }
};
struct Sigmoid {
  static V value(V x, float, float) { return logistic(x); }
  static V slope(V, V y, float, float) { return hn::Mul(y, hn::Sub(one(), y)); }
};
struct Silu {
  static V value(V x, float, float) { return hn::Mul(x, logistic(x)); }
  static V slope(V x, V, float, float) {
    const V s = logistic(x);
    return hn::MulAdd(hn::Mul(x, s), hn::Sub(one(), s), s);
  }
};
struct Tanh {
  static V value(V x, float, float) { return tanh_of(x); }
  static V slope(V, V y, float, float) { return hn::NegMulAdd(y, y, one()); }
};
struct Hardsigmoid {  // clamp(x / 6 + 1/2, 0, 1)
  static V value(V x, float, float) {
    const V line = hn::Div(hn::Add(x, set(3.0F)), set(6.0F));
    return where(hn::Lt(x, set(-3.0F)), zero(), where(hn::Gt(x, set(3.0F)), one(), line));
  }
  static V slope(V x, V, float, float) {
    return where(hn::And(hn::Gt(x, set(-3.0F)), hn::Lt(x, set(3.0F))), set(1.0F / 6.0F), zero());
  }
};
struct Hardswish {
  static V value(V x, float, float) { return hn::Mul(x, Hardsigmoid::value(x, 0, 0)); }
  static V slope(V x, V, float, float) {
    const V middle = hn::Add(hn::Div(x, set(3.0F)), set(0.5F));
    return where(hn::Lt(x, set(-3.0F)), zero(), where(hn::Gt(x, set(3.0F)), one(), middle));
  }
};
struct Softplus {  // p = beta, q = threshold; log(1 + e^bx) / b, linear beyond the threshold
  static V value(V x, float p, float q) {
    const V bx = hn::Mul(x, set(p));
    const V e = hn::Exp(kTag, hn::Neg(hn::Abs(bx)));
    const V soft = hn::Div(hn::Add(hn::Log1p(kTag, e), hn::Max(bx, zero())), set(p));
    return where(hn::Gt(bx, set(q)), x, soft);
  }
  static V slope(V x, V, float p, float q) {
    const V bx = hn::Mul(x, set(p));
    return where(hn::Gt(bx, set(q)), one(), logistic(bx));
  }
};
struct Softsign {
  static V value(V x, float, float) { return hn::Div(x, hn::Add(one(), hn::Abs(x))); }
  static V slope(V x, V, float, float) {
    const V d = hn::Add(one(), hn::Abs(x));
    return hn::Div(one(), hn::Mul(d, d));
  }
};
struct GeluTanh {  // x/2 (1 + tanh(k (x + 0.044715 x^3))), k = sqrt(2/pi)
  static V inner(V x) {
    const V cube = hn::Mul(hn::Mul(x, x), x);
    return hn::Mul(set(0.7978845608028654F), hn::MulAdd(set(0.044715F), cube, x));
  }
  static V value(V x, float, float) {
    return hn::Mul(hn::Mul(set(0.5F), x), hn::Add(one(), tanh_of(inner(x))));
  }
  static V slope(V x, V, float, float) {
    const V t = tanh_of(inner(x));
    const V di =
        hn::Mul(set(0.7978845608028654F), hn::MulAdd(set(3 * 0.044715F), hn::Mul(x, x), one()));
    const V left = hn::Mul(set(0.5F), hn::Add(one(), t));
    const V right = hn::Mul(hn::Mul(set(0.5F), x), hn::Mul(hn::NegMulAdd(t, t, one()), di));
    return hn::Add(left, right);
  }
};

template <class F>
void map_value(const UnaryJob& job, const float* x, float* y, std::size_t count) {
  const std::size_t lanes = hn::Lanes(kTag);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(F::value(hn::LoadU(kTag, x + i), job.p, job.q), kTag, y + i);
  if (i == count) return;
  const M rest = hn::FirstN(kTag, count - i);
  hn::BlendedStore(F::value(hn::MaskedLoad(rest, kTag, x + i), job.p, job.q), rest, kTag, y + i);
}

template <class F>
void map_slope(const UnaryJob& job, const float* dy, const float* x, const float* y, float* dx,
               std::size_t count) {
  const std::size_t lanes = hn::Lanes(kTag);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Mul(hn::LoadU(kTag, dy + i),
                       F::slope(hn::LoadU(kTag, x + i), hn::LoadU(kTag, y + i), job.p, job.q)),
               kTag, dx + i);
  if (i == count) return;
  const M rest = hn::FirstN(kTag, count - i);
  const V s =
      F::slope(hn::MaskedLoad(rest, kTag, x + i), hn::MaskedLoad(rest, kTag, y + i), job.p, job.q);
  hn::BlendedStore(hn::Mul(hn::MaskedLoad(rest, kTag, dy + i), s), rest, kTag, dx + i);
}

template <class Visit>
void with_function(Function function, Visit visit) {
  switch (function) {
    case Function::Relu:
      return visit(Relu{});
    case Function::Relu6:
    case Function::Hardtanh:
      return visit(Hardtanh{});
    case Function::LeakyRelu:
      return visit(LeakyRelu{});
    case Function::Elu:
    case Function::Selu:
      return visit(Elu{});
    case Function::Silu:
      return visit(Silu{});
    case Function::Sigmoid:
      return visit(Sigmoid{});
    case Function::Tanh:
      return visit(Tanh{});
    case Function::Hardswish:
      return visit(Hardswish{});
    case Function::Hardsigmoid:
      return visit(Hardsigmoid{});
    case Function::Softplus:
      return visit(Softplus{});
    case Function::Softsign:
      return visit(Softsign{});
    case Function::GeluTanh:
      return visit(GeluTanh{});
  }
}

void unary_value(const UnaryJob& job, const float* x, float* y, std::size_t count) {
  with_function(job.function, [&](auto f) { map_value<decltype(f)>(job, x, y, count); });
}

void unary_slope(const UnaryJob& job, const float* dy, const float* x, const float* y, float* dx,
                 std::size_t count) {
  with_function(job.function, [&](auto f) { map_slope<decltype(f)>(job, dy, x, y, dx, count); });
}

}  // namespace HWY_NAMESPACE
}  // namespace chop::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::kernels {
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
    {"gelu", Function::GeluTanh},
};

/// The function and settings of an elementwise call, if there is SIMD code for it.
std::optional<UnaryJob> job_of(const Call& call) {
  for (const Entry& entry : kEntries) {
    if (entry.op != call.op.name) continue;
    if (entry.function == Function::GeluTanh && call.text("approximate") != "tanh") return {};
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
      (job, x + first, y + first, static_cast<std::size_t>(length));
    });
  };
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
       args.output() + first, static_cast<std::size_t>(length));
    });
  };
}

}  // namespace

std::vector<KernelDef> unary() {
  std::vector<KernelDef> defs = {{"unary_grad", make_slope}};
  for (const Entry& entry : kEntries) defs.push_back({entry.op, make_value});
  return defs;
}

}  // namespace chop::kernels
#endif

// Kernels of single calls, without gradients: which ops have one, and that those kernels give what
// the reference gives, over random shapes and values of all sorts.
#include <gtest/gtest.h>

#include <set>

#include "ops/core/common.hpp"
#include "runtime/kernel.hpp"
#include "support/planned.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

using test::Case;
using test::Planned;
using test::Question;

Question forward_of(const Case& at) {
  test::Made made = test::make(at);
  const std::size_t results = infer_types(made.graph, 2).value()[index(made.call)].size();
  Question question{made.graph, made.inputs, {}, {}, 2};
  for (std::uint32_t i = 0; i < results; ++i) {
    question.wanted.push_back({made.call, i});
    question.names.push_back(cat("result ", i));
  }
  question.graph.set_outputs(question.wanted);
  return question;
}

/// Reductions have kernels for real numbers alone.
bool is_whole_reduction(const Case& at) {
  const std::vector<SampleInput>& inputs = at.sample().inputs;
  return !inputs.empty() && !is_floating(inputs[0].dtype) &&
         (find_field(at.op->attrs, "keepdim") != nullptr);
}

/// Whether there is a kernel for the op: one of its own, or that of any_op.cpp, which runs the
/// function of elementwise ops on real numbers. The reference runs the others: ops that are rare in
/// exported networks, or small where they appear, and new ones.
bool has_kernel(const Case& at) {
  const std::vector<SampleInput>& inputs = at.sample().inputs;
  const bool elementwise = at.op->unary.value != nullptr || at.op->binary.value != nullptr;
  return !kernels_of(*at.op).empty() ||
         (elementwise && !inputs.empty() && is_floating(inputs[0].dtype));
}

TEST(ForwardKernels, OpsWithAKernelRunItOnAllTheirSamples) {
  std::set<std::string> slow;
  std::set<std::string_view> fast_ops;
  std::set<std::string_view> all;
  for (const Case& at : test::all_cases()) {
    if (at.op->mase_type == MaseType::Gradient) continue;
    all.insert(at.op->name);
    if (!has_kernel(at)) continue;
    fast_ops.insert(at.op->name);
    const Question question = forward_of(at);
    bool computes = false;  // kernels may leave what is empty to the reference
    bool narrow = false;    // f16, bf16 and u64 are for storing
    const Types types = infer_types(question.graph, 2).value();
    for (const NodeId id : question.graph.order())
      for (const TensorType& type : types[index(id)]) {
        if (id == question.wanted[0].node) computes = computes || numel(type.shape) > 0;
        narrow = narrow || type.dtype == DType::F16 || type.dtype == DType::BF16 ||
                 type.dtype == DType::U64;
      }
    if (!computes || narrow) continue;
    // Of a batch of one size, of a whole and a real number: left to the reference.
    if (at.name() == "cross_entropy_2" || at.name() == "pow_5" || at.name() == "pow_7") continue;
    if (is_whole_reduction(at)) continue;
    // Lowering leaves no masks: it multiplies the weights with them.
    if (ops::mask_of({*at.op, at.sample().attrs}) != nullptr) continue;
    if (!test::reference_steps(Planned(question, 1).plan()).empty()) slow.insert(at.name());
  }
  EXPECT_EQ(join(std::vector<std::string>(slow.begin(), slow.end()), " "), "");
  EXPECT_GT(4 * fast_ops.size(), 3 * all.size()) << "kernels of many ops are gone";
}

/// What differs from the reference, in the type of the result.
enum class Expect : std::uint8_t { SameBits, Close };

void check(std::string_view op, Sample sample, Expect expect = Expect::SameBits,
           const NamedTensors& given = {}) {
  OpDef def = *find_op(op).value();
  def.samples = {std::move(sample)};
  Question question = forward_of({&def, 0});
  for (const auto& [name, tensor] : given) question.inputs.at(name) = tensor;
  std::string about(op);
  for (const SampleInput& input : def.samples[0].inputs)
    about += cat(" ", name_of(input.dtype), to_string(input.shape));
  for (const auto& [name, value] : def.samples[0].attrs)
    about += cat(" ", name, "=", to_python(value));
  SCOPED_TRACE(about);
  Planned plan(question, 1);
  EXPECT_EQ(test::reference_steps(plan.plan()), std::vector<std::string>());
  const std::vector<Tensor> got = plan.run();
  if (expect == Expect::Close)
    return test::expect_close(got, test::run_in_double(question), question.names, 5e-6);
  test::expect_same_bits(got, Planned(question, 1, /*reference_only=*/true).run(), question.names);
  test::expect_same_bits(Planned(question, 3).run(), got, question.names);
}

class Dice {
 public:
  explicit Dice(std::string_view purpose) : stream_(3, purpose) {}
  std::int64_t from_to(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(
                     stream_.below(n_++, static_cast<std::uint64_t>(high - low + 1)));
  }

 private:
  Stream stream_;
  std::uint64_t n_ = 0;
};

/// Two shapes that broadcast with each other.
std::array<Shape, 2> broadcasting(Dice& dice) {
  std::array<Shape, 2> shapes;
  for (std::int64_t d = 0, rank = dice.from_to(1, 4); d < rank; ++d) {
    const std::int64_t size = dice.from_to(1, 9);
    const std::int64_t stretched = dice.from_to(0, 3);
    shapes[0].push_back(stretched == 0 ? 1 : size);
    shapes[1].push_back(stretched == 1 ? 1 : size);
  }
  if (dice.from_to(0, 2) == 0) shapes[1].erase(shapes[1].begin());
  return shapes;
}

Tensor nasty_values(const Shape& shape, std::size_t shift) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {0.0F, -0.0F,   1.0F,  -1.0F,  kInf,  -kInf, std::nanf(""),
                                     3e9F, -3e9F,   0.5F,  -0.5F,  1.5F,  2.5F,  127.6F,
                                     255,  -128.7F, 1e20F, 1e-30F, -7.25F};
  Tensor tensor(DType::F32, shape);
  const auto out = tensor.mutable_data<float>();
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = values[(i / (shift + 1) + shift) % values.size()];
  return tensor;
}

TEST(ForwardKernels, PairsThatBroadcastHaveTheBitsOfTheReference) {
  Dice dice("pairs");
  for (int i = 0; i < 12; ++i) {
    const auto [a, b] = broadcasting(dice);
    for (const char* op : {"maximum", "minimum", "prelu", "fmod", "pow", "eq", "lt", "ge", "ne"}) {
      if (std::string_view(op) == "prelu" && ops::broadcast(a, b).value() != a) continue;
      check(op, {.inputs = {{a}, {b}}});
      check(op, {.inputs = {{a}, {b}}}, Expect::SameBits,
            {{"x0", nasty_values(a, 0)}, {"x1", nasty_values(b, 3)}});
    }
    for (const char* op : {"add", "sub", "mul", "div", "maximum", "minimum", "le", "gt"})
      for (const DType dtype : {DType::I64, DType::I32, DType::I16, DType::I8})
        check(op, {.inputs = {ops::wholes(a, -100, 100, dtype), ops::wholes(b, -9, 9, dtype)}});
    check("mul", {.inputs = {ops::wholes(a, 0, 255, DType::U8), ops::wholes(b, 0, 9, DType::U8)}});
    for (const char* op : {"logical_and", "logical_or", "logical_xor", "eq"})
      check(op, {.inputs = {ops::truths(a), ops::truths(b)}});
    for (const DType dtype : {DType::F32, DType::I64, DType::U8})
      check("where", {.inputs = {ops::truths(a),
                                 {.shape = b, .high = 9, .dtype = dtype},
                                 {.shape = a, .high = 9, .dtype = dtype}}});
  }
  check("maximum", {.inputs = {{{70, 1000}}, {{1000}}}});
  check("lt", {.inputs = {{{70000}}, {{1}}}});
  check("where", {.inputs = {ops::truths({3, 1, 40000}), {{3, 2, 1}}, {.shape = {}}}});
}

TEST(ForwardKernels, CastsHaveTheBitsOfTheReference) {
  const Shape shape = {43};
  for (const char* to : {"f32", "f64", "i64", "i32", "i16", "i8", "u8", "u16", "bool"}) {
    check("cast", {.attrs = {{"dtype", std::string(to)}}, .inputs = {{shape}}}, Expect::SameBits,
          {{"x0", nasty_values(shape, 1)}});
    for (const DType from : {DType::I64, DType::I32, DType::I16, DType::I8})
      check("cast", {.attrs = {{"dtype", std::string(to)}},
                     .inputs = {ops::wholes(shape, -128, 127, from)}});
    check("cast", {.attrs = {{"dtype", std::string(to)}}, .inputs = {ops::truths(shape)}});
    check("cast", {.attrs = {{"dtype", std::string(to)}},
                   .inputs = {ops::wholes(shape, -5000000000, 5000000000)}});
  }
}

TEST(ForwardKernels, RoundingsOfAllSortsHaveTheBitsOfTheReference) {
  const Shape shape = {61};
  for (const char* op : {"round", "floor", "ceil", "sign", "abs", "neg", "sqrt", "reciprocal"})
    check(op, {.inputs = {{shape}}}, Expect::SameBits, {{"x0", nasty_values(shape, 0)}});
  for (const double low : {-1.0, 0.1, 2.0})
    check("clamp", {.attrs = {{"min", low}, {"max", 1.5}}, .inputs = {{shape}}}, Expect::SameBits,
          {{"x0", nasty_values(shape, 0)}});
  check("clamp", {.attrs = {{"min", -3.0}, {"max", 5.5}},
                  .inputs = {ops::wholes(shape, -90, 90, DType::I8)}});
}

TEST(ForwardKernels, CopiesHaveTheBitsOfTheReference) {
  Dice dice("copies");
  for (int i = 0; i < 60; ++i) {
    const DType dtype = std::array{DType::F32, DType::I64, DType::U8, DType::F32}.at(
        static_cast<std::size_t>(dice.from_to(0, 3)));
    Shape x;
    Ints pads, starts, ends, steps, repeats;
    const std::int64_t rank = dice.from_to(1, 4);
    const char* mode = dice.from_to(0, 1) == 0 ? "constant" : "replicate";
    for (std::int64_t d = 0; d < rank; ++d) {
      x.push_back(dice.from_to(2, 9));
      pads.push_back(dice.from_to(0, 3));
      starts.push_back(dice.from_to(-9, 9));
      ends.push_back(dice.from_to(-9, 20));
      steps.push_back(
          std::array{1, 1, 2, 3, -1, -2}.at(static_cast<std::size_t>(dice.from_to(0, 5))));
      repeats.push_back(dice.from_to(1, 3));
    }
    for (std::int64_t d = 0; d < rank; ++d)
      pads.push_back(mode[0] == 'c' ? dice.from_to(-1, 2) : dice.from_to(0, 2));
    const SampleInput input{.shape = x, .low = 0, .high = 99, .dtype = dtype};
    check("pad", {.attrs = {{"pads", pads}, {"mode", std::string(mode)}, {"value", 7.5}},
                  .inputs = {input}});
    check("strided_slice",
          {.attrs = {{"starts", starts}, {"ends", ends}, {"steps", steps}}, .inputs = {input}});
    check("tile", {.attrs = {{"repeats", repeats}}, .inputs = {input}});
    const std::int64_t dim = dice.from_to(0, rank - 1);
    const std::int64_t size = x[static_cast<std::size_t>(dim)];
    for (const DType index : {DType::I64, DType::I32})
      check("gather", {.attrs = {{"dim", dim}},
                       .inputs = {input, ops::wholes({2, 3}, static_cast<double>(-size),
                                                     static_cast<double>(size), index)}});
    check("transpose", {.attrs = {{"dim0", dim}, {"dim1", std::int64_t{0}}}, .inputs = {input}});
  }
  check("pad", {.attrs = {{"pads", Ints{0, 0, 1, 1, 0, 0, 1, 1}}}, .inputs = {{{2, 40, 33, 31}}}});
  check("gather", {.attrs = {{"dim", 2}}, .inputs = {{{2, 40, 33, 31}}, ops::wholes({66}, 0, 33)}});
}

TEST(ForwardKernels, ExtremesAreThoseOfTheReference) {
  Dice dice("extremes");
  for (int i = 0; i < 30; ++i) {
    Shape x;
    Ints dims;
    for (std::int64_t d = 0, rank = dice.from_to(1, 4); d < rank; ++d) {
      x.push_back(dice.from_to(1, 40));
      if (dice.from_to(0, 1) == 0) dims.push_back(d);
    }
    const std::int64_t dim = dice.from_to(0, static_cast<std::int64_t>(x.size()) - 1);
    for (const char* op : {"amax", "amin"}) {
      check(op, {.attrs = {{"dim", dims}}, .inputs = {{x}}});
      check(op, {.attrs = {{"dim", dims}}, .inputs = {{x}}}, Expect::Close,
            {{"x0", nasty_values(x, 2)}});  // of 0 and -0 either one
    }
    for (const char* op : {"argmax", "argmin"})
      for (const bool last : {false, true})
        check(op, {.attrs = {{"dim", dim}, {"select_last", last}}, .inputs = {{x}}},
              Expect::SameBits, {{"x0", nasty_values(x, 0)}});
  }
}

TEST(ForwardKernels, ProductsInDoubleAreThoseOfTheReference) {
  Dice dice("double");
  const auto numbers = [](Shape shape) {
    return SampleInput{.shape = std::move(shape), .dtype = DType::F64};
  };
  for (int i = 0; i < 12; ++i) {
    const std::int64_t m = dice.from_to(1, 40), k = dice.from_to(1, 70), n = dice.from_to(1, 70);
    check("matmul", {.inputs = {numbers({2, 1, m, k}), numbers({3, k, n})}}, Expect::Close);
    check("matmul", {.inputs = {numbers({k}), numbers({k, n})}}, Expect::Close);
  }
  for (int i = 0; i < 8; ++i) {
    const std::int64_t groups = dice.from_to(1, 2), in = groups * dice.from_to(1, 5),
                       out = groups * dice.from_to(1, 9), kernel = dice.from_to(1, 3);
    check("conv3d",
          {.attrs = {{"in_channels", in},
                     {"out_channels", out},
                     {"kernel_size", Ints{kernel}},
                     {"stride", Ints{dice.from_to(1, 2)}},
                     {"padding", Ints{dice.from_to(0, 1)}},
                     {"groups", groups}},
           .inputs = {{{2, in, 4, 6, 9}}}},
          Expect::Close);
    check("conv_transpose2d",
          {.attrs = {{"in_channels", in},
                     {"out_channels", out},
                     {"kernel_size", Ints{kernel}},
                     {"stride", Ints{dice.from_to(1, 2)}},
                     {"groups", groups}},
           .inputs = {{{2, in, 6, 9}}}},
          Expect::Close);
    check("instance_norm", {.inputs = {{{2, in, 6, 9}}, {{in}}, {{in}}}}, Expect::Close);
  }
}

}  // namespace
}  // namespace chop

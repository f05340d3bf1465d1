// Operators that give the same elements another shape or order.
#include <numeric>

#include "onnx/export/export_call.hpp"
#include "onnx/import_helpers.hpp"
#include "support/text.hpp"

namespace chop::onnx::defs::reshape {
namespace {

/// The shape a Reshape asks for at one batch size: 0 copied from the input, -1 computed.
std::optional<Shape> asked_shape(const OnnxCall& call, const Shape& from, const Tensor& target) {
  Shape shape;
  std::optional<std::size_t> open;
  const bool zero_means_zero = call.integer("allowzero", 0) != 0;
  const Tensor whole = target.to(DType::I64);
  for (const std::int64_t dim : whole.data<std::int64_t>()) {
    if (dim == -1 && !open)
      open = shape.size();
    else if (dim < 0 || (dim == 0 && !zero_means_zero && shape.size() >= from.size()))
      return std::nullopt;
    shape.push_back(dim == 0 && !zero_means_zero ? from[shape.size()] : dim);
  }
  if (open) shape[*open] = 1;
  if (!is_possible(shape)) return std::nullopt;
  if (!open) return shape;
  const std::int64_t rest = numel(shape);
  if (rest == 0 || numel(from) % rest != 0) return std::nullopt;
  shape[*open] = numel(from) / rest;
  return shape;
}

void import_reshape(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  const Constant target =
      call.has_attr("shape")
          ? Constant(Tensor::of<std::int64_t>(
                {static_cast<std::int64_t>(call.ints("shape").size())}, call.ints("shape")))
          : make.constant_of(call.in(1), "`shape` of Reshape");
  if (make.failed()) return;
  const Shape open = make.open_shape(x);
  Shape shape;
  for (std::size_t b = 0; b < 2; ++b) {
    Shape from = open;
    for (std::int64_t& dim : from)
      if (dim == -1) dim = Importer::kBatches.at(b);
    // An open shape may hold multiples of the batch; the first batch is known exactly.
    if (b == 0) from = make.shape(x);
    const std::optional<Shape> asked = asked_shape(call, from, target.at.at(b));
    if (!asked)
      return call.fail(cat("Reshape of ", to_string(from), " asks for an impossible shape"));
    if (b == 0) {
      shape = *asked;
      if (!make.follows_batch()) break;
      continue;
    }
    for (std::size_t d = 0; d < shape.size() && d < asked->size(); ++d)
      if (shape[d] != (*asked)[d]) shape[d] = -1;
  }
  // A file written for one row says 1 where the batch is meant.
  if (make.follows_batch() && !shape.empty() && shape[0] == 1 && !open.empty() && open[0] == -1 &&
      numel(shape) * Importer::kBatches[0] == numel(make.shape(x)))
    shape[0] = -1;
  if (std::count(shape.begin(), shape.end(), -1) > 1)
    return call.fail("Reshape makes two dimensions that follow the batch",
                     "export the network for one batch size");
  call.out(reshaped(make, x, std::move(shape)));
}

void import_flatten(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  const Shape shape = make.shape(x);
  std::int64_t axis = call.integer("axis", 1);
  if (axis < 0) axis += static_cast<std::int64_t>(shape.size());
  if (axis < 0 || axis > static_cast<std::int64_t>(shape.size()))
    return call.fail(cat("Flatten: axis ", axis, " of ", to_string(shape)));
  if (axis == 1 && shape.size() >= 2)
    return call.out(make.call("flatten", {x}, {{"start_dim", 1}}));
  const Shape open = make.open_shape(x);
  const auto middle = static_cast<std::ptrdiff_t>(axis);
  const auto product = [&](auto first, auto last) {
    return std::accumulate(first, last, std::int64_t{1}, [](std::int64_t a, std::int64_t b) {
      return a == -1 || b == -1 ? -1 : a * b;
    });
  };
  call.out(reshaped(
      make, x,
      {product(open.begin(), open.begin() + middle), product(open.begin() + middle, open.end())}));
}

/// Axes counted from the front, in order.
Ints normal_axes(const OnnxCall& call, Ints axes, std::size_t rank) {
  for (std::int64_t& axis : axes) axis = call.axis(axis, rank);
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    call.fail(cat(call.op_type(), ": an axis is named twice"));
  return axes;
}

void import_squeeze(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  Ints axes;
  if (call.has_attr("axes") || call.has(1)) {
    axes = normal_axes(call, call.ints_from("axes", 1), make.rank(x));
  } else {
    const Shape open = make.open_shape(x);
    for (std::size_t d = 0; d < open.size(); ++d)
      if (open[d] == 1) axes.push_back(static_cast<std::int64_t>(d));
  }
  if (make.failed()) return;
  for (const std::int64_t axis : axes)
    if (make.shape(x)[static_cast<std::size_t>(axis)] != 1)
      return call.fail(cat("Squeeze of dimension ", axis, " of ", to_string(make.shape(x)),
                           ", whose size is not 1"));
  call.out(axes.empty() ? make.call("identity", {x}) : make.call("squeeze", {x}, {{"dim", axes}}));
}

void import_unsqueeze(const OnnxCall& call) {
  Importer& make = call.make();
  ImportValue x = call.in(0);
  if (make.failed()) return;
  const Ints given = call.ints_from("axes", 1);
  const Ints axes = normal_axes(call, given, make.rank(x) + given.size());
  for (const std::int64_t axis : axes) x = make.call("unsqueeze", {x}, {{"dim", axis}});
  call.out(x);
}

void import_transpose(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  Ints reversed(make.rank(x));
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  const Ints order = call.ints("perm", reversed);
  const std::optional<NumberFormat> format = make.format(x);
  if (!make.is_constant(x) || !format || !is_uniform(*format))
    return call.out(permuted(make, x, order));
  // A quantised constant stays one: the format may follow its elements.
  const std::string name = make.name_of(x);
  const ImportValue turned = permuted(make, make.without_format(x), order);
  if (make.failed()) return;
  call.out(make.quantised(make.constant(make.need(turned, "a constant"), name), *format));
}

void import_expand(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  const Constant& asked = make.constant_of(call.in(1), "`shape` of Expand");
  if (make.failed()) return;
  // Both stretch: ONNX lets x be the larger one. -1 keeps what x has, the batch too.
  const Shape open = make.open_shape(x);
  const Tensor first = asked.at[0].to(DType::I64);
  const Tensor second = asked.at[1].to(DType::I64);
  Shape shape(first.data<std::int64_t>().begin(), first.data<std::int64_t>().end());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t behind = shape.size() - i;  // this dimension and those after it
    const bool follows = shape[i] != second.data<std::int64_t>()[i];
    const bool has_it = behind <= open.size();
    if (follows && !(has_it && open[open.size() - behind] == -1))
      return call.fail("Expand stretches a tensor to the batch",
                       "export the network for one batch size");
    if (has_it && (follows || shape[i] == 1)) shape[i] = -1;
  }
  while (shape.size() < open.size()) shape.insert(shape.begin(), -1);
  call.out(make.call("expand", {x}, {{"shape", shape}}));
}

void import_tile(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (call.version() < 6) {  // tiles along one axis
    const std::int64_t count = make.need_whole(call.in(1), "`tiles` of Tile");
    const std::int64_t axis = make.need_whole(call.in(2), "`axis` of Tile");
    Ints repeats(make.rank(x), 1);
    if (make.failed()) return;
    const std::int64_t along = call.axis(axis, make.rank(x));
    if (make.failed()) return;
    repeats[static_cast<std::size_t>(along)] = count;
    return call.out(make.call("tile", {x}, {{"repeats", repeats}}));
  }
  const Ints repeats = make.need_ints(call.in(1), "`repeats` of Tile");
  if (make.failed()) return;
  call.out(make.call("tile", {x}, {{"repeats", repeats}}));
}

/// Blocks of channels become squares of the image, or back.
template <bool kToSpace>
void import_space(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  const std::int64_t b = call.integer("blocksize", 0);
  if (make.failed()) return;
  const Shape s = make.shape(x);
  constexpr std::int64_t kMostBlock = 1024;
  if (s.size() != 4 || b < 1 || b > kMostBlock ||
      (kToSpace ? s[1] % (b * b) != 0 : s[2] % b != 0 || s[3] % b != 0))
    return call.fail(cat(call.op_type(), " of ", to_string(s), " in blocks of ", b));
  const std::int64_t n = make.open_shape(x)[0];
  const std::int64_t c = kToSpace ? s[1] / (b * b) : s[1];
  if (!kToSpace) {
    const ImportValue split = reshaped(make, x, {n, c, s[2] / b, b, s[3] / b, b});
    return call.out(reshaped(make, permuted(make, split, {0, 3, 5, 1, 2, 4}),
                             {n, c * b * b, s[2] / b, s[3] / b}));
  }
  const bool columns_first = call.text("mode", "DCR") == "CRD";
  const ImportValue split = columns_first ? reshaped(make, x, {n, c, b, b, s[2], s[3]})
                                          : reshaped(make, x, {n, b, b, c, s[2], s[3]});
  const Ints order = columns_first ? Ints{0, 1, 4, 2, 5, 3} : Ints{0, 3, 4, 1, 5, 2};
  call.out(reshaped(make, permuted(make, split, order), {n, c, s[2] * b, s[3] * b}));
}

void write_reshape(ExportCall& call) {
  call.add("Reshape", {call.inputs()[0], call.whole_numbers(call.ints("shape"))});
}

/// The batch stays open: it is the one dimension ONNX works out.
void write_flatten(ExportCall& call) {
  const Shape& x = call.shape(0);
  const Shape& y = call.result().shape;
  if (y.size() == 2 && x.size() >= 2 && x[0] == y[0]) {
    ExportCall::set(call.add("Flatten", call.inputs()), "axis", std::int64_t{1});
    return;
  }
  Ints shape = y;
  if (!x.empty() && !y.empty() && x[0] == y[0]) shape[0] = 0;
  call.add("Reshape", {call.inputs()[0], call.whole_numbers(shape)});
}

void write_permute(ExportCall& call) {
  Ints order = call.ints("dims");
  for (std::int64_t& dim : order)
    if (dim < 0) dim += static_cast<std::int64_t>(order.size());
  ExportCall::set(call.add("Transpose", call.inputs()), "perm", order);
}

void write_transpose(ExportCall& call) {
  Ints order(call.shape(0).size());
  std::iota(order.begin(), order.end(), 0);
  const auto wrapped = [&](std::int64_t dim) {
    return static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(order.size()) : dim);
  };
  if (!order.empty())
    std::swap(order[wrapped(call.integer("dim0"))], order[wrapped(call.integer("dim1"))]);
  ExportCall::set(call.add("Transpose", call.inputs()), "perm", order);
}

void write_unsqueeze(ExportCall& call) {
  call.add("Unsqueeze", {call.inputs()[0], call.whole_numbers({call.integer("dim")})});
}

/// A size other than one stays, as in PyTorch.
void write_squeeze(ExportCall& call) {
  const Shape& x = call.shape(0);
  const auto rank = static_cast<std::int64_t>(x.size());
  Ints axes;
  for (std::int64_t dim : call.ints("dim")) {
    if (dim < 0) dim += rank;
    // A scalar takes dim 0 and -1, and has no such dimension.
    if (dim >= 0 && dim < rank && x[static_cast<std::size_t>(dim)] == 1) axes.push_back(dim);
  }
  for (std::int64_t d = 0; call.ints("dim").empty() && d < rank; ++d)
    if (x[static_cast<std::size_t>(d)] == 1) axes.push_back(d);
  if (axes.empty())
    call.add("Identity", call.inputs());
  else
    call.add("Squeeze", {call.inputs()[0], call.whole_numbers(axes)});
}

void write_expand(ExportCall& call) {
  call.add("Expand", {call.inputs()[0], call.whole_numbers(call.result().shape)});
}

}  // namespace

OnnxFamily define() {
  return {.imports = {{"Reshape", import_reshape},
                      {"Flatten", import_flatten},
                      {"Squeeze", import_squeeze},
                      {"Unsqueeze", import_unsqueeze},
                      {"Transpose", import_transpose},
                      {"Expand", import_expand},
                      {"Tile", import_tile},
                      {"DepthToSpace", import_space<true>},
                      {"SpaceToDepth", import_space<false>}},
          .exports = {{"reshape", write_reshape},
                      {"view", write_reshape},
                      {"flatten", write_flatten},
                      {"permute", write_permute},
                      {"transpose", write_transpose},
                      {"unsqueeze", write_unsqueeze},
                      {"squeeze", write_squeeze},
                      {"expand", write_expand}}};
}

}  // namespace chop::onnx::defs::reshape

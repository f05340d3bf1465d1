// Operators that gather, slice, scatter and pad elements.
#include "onnx/export/export_call.hpp"
#include "onnx/import_helpers.hpp"
#include "support/text.hpp"

namespace chop::onnx::defs::indexing {
namespace {

/// Constant indices can be checked here; those of the data give NaN where they are outside.
void import_gather(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  const ImportValue indices = call.in(1);
  if (make.failed()) return;
  const std::int64_t axis = call.axis(call.integer("axis", 0), make.rank(x));
  if (make.failed()) return;
  const std::int64_t size = make.shape(x)[static_cast<std::size_t>(axis)];
  if (make.is_constant(indices)) {
    const Tensor whole = make.constant_of(indices, "indices").at[0].to(DType::I64);
    for (const std::int64_t index : whole.data<std::int64_t>())
      if (index < -size || index >= size)
        return call.fail(cat("Gather picks element ", index, " of ", size));
  }
  call.out(make.call("gather", {x, indices}, {{"dim", axis}}));
}

void import_gather_elements(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  call.out(make.call("gather_elements", {x, call.in(1)},
                     {{"dim", call.axis(call.integer("axis", 0), make.rank(x))}}));
}

void import_scatter_elements(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  call.out(make.call("scatter_elements", {x, call.in(1), call.in(2)},
                     {{"dim", call.axis(call.integer("axis", 0), make.rank(x))},
                      {"reduction", call.text("reduction", "none")}}));
}

void import_one_hot(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue indices = call.in(0);
  const std::int64_t depth = make.need_whole(call.in(1), "`depth` of OneHot");
  const ImportValue values = call.in(2);
  if (make.failed()) return;
  const std::int64_t axis = call.axis(call.integer("axis", -1), make.rank(indices) + 1);
  const ImportValue hot =
      make.call("one_hot", {cast(make, indices, DType::I64)}, {{"depth", depth}, {"dim", axis}});
  const auto pick = [&](std::int64_t at) {
    return make.call("slice", {values}, {{"dim", 0}, {"start", at}, {"length", 1}});
  };
  call.out(make.call("where", {cast(make, hot, DType::Bool), pick(1), pick(0)}));
}

/// Starts, ends and steps for every dimension; ends beyond the tensor mean its end.
void import_slice(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  const Ints starts = call.ints_from("starts", 1);
  const Ints ends = call.ints_from("ends", 2);
  if (make.failed()) return;
  const std::size_t rank = make.rank(x);
  Ints axes(starts.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<std::int64_t>(i);
  axes = call.ints_from("axes", 3, axes);
  const Ints given = call.ints_from("steps", 4, Ints(starts.size(), 1));
  if (make.failed()) return;
  if (ends.size() != starts.size() || axes.size() != starts.size() || given.size() != starts.size())
    return call.fail("Slice: starts, ends, axes and steps differ in length");
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  Ints first(rank, 0);
  Ints last(rank, kEnd);
  Ints steps(rank, 1);
  const Shape open = make.open_shape(x);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto d = static_cast<std::size_t>(call.axis(axes[i], rank));
    if (make.failed()) return;
    if (given[i] == 0) return call.fail("Slice with a step of 0");
    if (open[d] == -1 && (starts[i] != 0 || ends[i] < kEnd / 4 || given[i] != 1))
      return call.fail("Slice of the batch", "export the network for one batch size");
    first[d] = starts[i];
    last[d] = ends[i];
    steps[d] = given[i];
  }
  call.out(make.call("strided_slice", {x}, {{"starts", first}, {"ends", last}, {"steps", steps}}));
}

/// Since opset 18 the last part may be smaller than the others.
Ints equal_parts(std::int64_t size, std::int64_t parts, int version) {
  Ints lengths(static_cast<std::size_t>(parts), size / parts);
  if (version < 18 || size % parts == 0) return lengths;
  lengths.assign(static_cast<std::size_t>(parts), size / parts + 1);
  lengths.back() = size - (parts - 1) * (size / parts + 1);
  return lengths;
}

void import_split(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  const std::int64_t axis = call.axis(call.integer("axis", 0), make.rank(x));
  if (make.failed()) return;
  const std::int64_t size = make.shape(x)[static_cast<std::size_t>(axis)];
  const auto parts = static_cast<std::int64_t>(call.outputs());
  Ints lengths = call.ints_from("split", 1);
  if (make.failed() || parts == 0) return;
  const std::int64_t asked = call.integer("num_outputs", parts);
  if (asked != parts)
    return call.fail(cat("Split with num_outputs ", asked, " and ", parts, " results"));
  if (lengths.empty()) lengths = equal_parts(size, parts, call.version());
  std::int64_t total = 0;
  for (const std::int64_t length : lengths)
    total = length >= 0 && length <= size - total ? total + length : size + 1;
  if (lengths.size() != static_cast<std::size_t>(parts) || total != size)
    return call.fail(
        cat("Split of ", size, " elements into ", to_string(lengths), " for ", parts, " results"));
  std::int64_t start = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    call.out(i, make.call("slice", {x}, {{"dim", axis}, {"start", start}, {"length", lengths[i]}}));
    start += lengths[i];
  }
}

/// Pads of all dimensions, where they are given for the axes in input 3 (since opset 18).
Ints pads_of_axes(const OnnxCall& call, const Ints& pads, std::size_t rank) {
  const Ints axes = call.make().need_ints(call.in(3), "`axes` of Pad");
  Ints all(2 * rank, 0);
  if (pads.size() != 2 * axes.size()) {
    call.fail(cat("Pad of ", axes.size(), " axes by ", pads.size(), " numbers"));
    return all;
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(call.axis(axes[i], rank));
    if (call.make().failed()) return all;
    all[axis] = pads[i];
    all[rank + axis] = pads[axes.size() + i];
  }
  return all;
}

void import_pad(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  Ints pads = call.has_attr("paddings") ? call.ints("paddings") : call.ints_from("pads", 1);
  double value = call.real("value", 0);
  if (call.has(2)) value = make.need_real(call.in(2), "`constant_value` of Pad");
  const std::string mode = call.text("mode", "constant");
  if (make.failed()) return;
  if (call.has(3)) pads = pads_of_axes(call, pads, make.rank(x));
  if (make.failed()) return;
  if (pads.size() != 2 * make.rank(x))
    return call.fail(
        cat("Pad of a tensor with ", make.rank(x), " dimensions by ", pads.size(), " numbers"));
  call.out(make.call("pad", {x},
                     {{"pads", pads},
                      {"mode", mode == "edge" ? std::string("replicate") : mode},
                      {"value", value}}));
}

void import_trilu(const OnnxCall& call) {
  Importer& make = call.make();
  const std::int64_t k = call.has(1) ? make.need_whole(call.in(1), "`k` of Trilu") : 0;
  call.out(
      make.call(call.integer("upper", 1) != 0 ? "triu" : "tril", {call.in(0)}, {{"diagonal", k}}));
}

void import_einsum(const OnnxCall& call) {
  call.out(
      call.make().call("einsum", call.all_inputs(), {{"equation", call.text("equation", "")}}));
}

void import_concat(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  call.out(make.call("cat", call.all_inputs(),
                     {{"dim", call.axis(call.integer("axis", 1), make.rank(x))}}));
}

void write_slice(ExportCall& call) {
  std::int64_t dim = call.integer("dim");
  if (dim < 0) dim += static_cast<std::int64_t>(call.shape(0).size());
  const std::int64_t size = call.shape(0)[static_cast<std::size_t>(dim)];
  const std::int64_t start =
      call.integer("start") < 0 ? call.integer("start") + size : call.integer("start");
  call.add("Slice",
           {call.inputs()[0], call.whole_numbers({start}),
            call.whole_numbers({start + call.integer("length")}), call.whole_numbers({dim})});
}

void write_strided_slice(ExportCall& call) {
  Ints axes;
  for (std::size_t d = 0; d < call.shape(0).size(); ++d)
    axes.push_back(static_cast<std::int64_t>(d));
  call.add("Slice", {call.inputs()[0], call.whole_numbers(call.ints("starts")),
                     call.whole_numbers(call.ints("ends")), call.whole_numbers(axes),
                     call.whole_numbers(call.ints("steps"))});
}

void write_pad(ExportCall& call) {
  const std::string& mode = call.text("mode");
  proto::NodeProto& node =
      call.add("Pad", {call.inputs()[0], call.whole_numbers(call.ints("pads")),
                       call.constant(Tensor::scalar(call.real("value"), call.dtype(0)))});
  ExportCall::set(node, "mode", mode == "replicate" ? std::string("edge") : mode);
}

void write_one_hot(ExportCall& call) {
  const std::string depth = call.constant(Tensor::of<std::int64_t>({}, {call.integer("depth")}));
  const std::string values = call.constant(Tensor::of<float>({2}, {0.0F, 1.0F}));
  ExportCall::set(call.add("OneHot", {call.inputs()[0], depth, values}), "axis", call.attr("dim"));
}

void write_tile(ExportCall& call) {
  call.add("Tile", {call.inputs()[0], call.whole_numbers(call.ints("repeats"))});
}

void write_embedding(ExportCall& call) {
  const std::vector<std::string> operands = call.operands();
  call.add("Gather", {operands[1], operands[0]});
}

}  // namespace

OnnxFamily define() {
  return {.imports = {{"Gather", import_gather},
                      {"GatherElements", import_gather_elements},
                      {"ScatterElements", import_scatter_elements},
                      {"Scatter", import_scatter_elements},
                      {"OneHot", import_one_hot},
                      {"Slice", import_slice},
                      {"Split", import_split},
                      {"Pad", import_pad},
                      {"Trilu", import_trilu},
                      {"Einsum", import_einsum},
                      {"Concat", import_concat}},
          .exports = {{"slice", write_slice},
                      {"strided_slice", write_strided_slice},
                      {"pad", write_pad},
                      {"tile", write_tile},
                      {"one_hot", write_one_hot},
                      {"embedding", write_embedding}}};
}

}  // namespace chop::onnx::defs::indexing

// Reductions over axes, ArgMax and ArgMin.
#include "onnx/export/export_call.hpp"
#include "onnx/import_helpers.hpp"

namespace chop::onnx::defs::reduce {
namespace {

/// What is applied to the elements before and after the reduction.
struct Reduction {
  const char* op = "sum";
  const char* before = "";  ///< "", "abs", "square"
  const char* after = "";   ///< "", "sqrt", "log"
};

void apply(const OnnxCall& call, const Reduction& reduction) {
  Importer& make = call.make();
  ImportValue x = call.in(0);
  const Ints axes = call.ints_from("axes", 1);
  const bool keepdims = call.integer("keepdims", 1) != 0;
  const bool noop = call.integer("noop_with_empty_axes", 0) != 0;
  if (make.failed()) return;
  if (axes.empty() && noop) return call.out(make.call("identity", {x}));
  Ints dims;
  for (const std::int64_t axis : axes) dims.push_back(call.axis(axis, make.rank(x)));
  if (reduction.before == std::string_view("abs")) x = make.call("abs", {x});
  if (reduction.before == std::string_view("square")) x = make.call("mul", {x, x});
  ImportValue y = make.call(reduction.op, {x}, {{"dim", dims}, {"keepdim", keepdims}});
  if (*reduction.after != '\0') y = make.call(reduction.after, {y});
  call.out(y);
}

void import_arg_extreme(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  call.out(make.call(op_for(call.op_type()), {x},
                     {{"dim", call.axis(call.integer("axis", 0), make.rank(x))},
                      {"keepdim", call.integer("keepdims", 1) != 0},
                      {"select_last", call.integer("select_last_index", 0) != 0}}));
}

void import_cumsum(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  const Ints axis = make.need_ints(call.in(1), "`axis` of CumSum");
  if (make.failed()) return;
  if (axis.size() != 1) return call.fail("CumSum: `axis` is not one number");
  call.out(make.call("cumsum", {x},
                     {{"dim", call.axis(axis[0], make.rank(x))},
                      {"exclusive", call.integer("exclusive", 0) != 0},
                      {"reverse", call.integer("reverse", 0) != 0}}));
}

void import_topk(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  const Ints k =
      call.has_attr("k") ? Ints{call.integer("k", 1)} : make.need_ints(call.in(1), "`K` of TopK");
  if (make.failed()) return;
  if (k.size() != 1) return call.fail("TopK: `K` is not one number");
  const auto results = make.calls("topk", {x},
                                  {{"k", k[0]},
                                   {"dim", call.axis(call.integer("axis", -1), make.rank(x))},
                                   {"largest", call.integer("largest", 1) != 0},
                                   {"sorted", call.integer("sorted", 1) != 0}},
                                  2);
  call.out(0, results[0]);
  call.out(1, results[1]);
}

/// Axes are an attribute of all reductions but ReduceSum.
void write_reduction(ExportCall& call) {
  Ints axes = call.ints("dim");
  for (std::int64_t& axis : axes)
    if (axis < 0) axis += static_cast<std::int64_t>(call.shape(0).size());
  proto::NodeProto& node = call.add(call.onnx_name(), call.inputs());
  if (!axes.empty()) ExportCall::set(node, "axes", axes);
  ExportCall::set(node, "keepdims", call.attr("keepdim"));
}

void write_sum(ExportCall& call) {
  std::vector<std::string> inputs = call.inputs();
  if (!call.ints("dim").empty()) inputs.push_back(call.whole_numbers(call.ints("dim")));
  ExportCall::set(call.add("ReduceSum", inputs), "keepdims", call.attr("keepdim"));
}

void write_arg_extreme(ExportCall& call) {
  proto::NodeProto& node = call.add(call.onnx_name(), call.inputs());
  ExportCall::set(node, "axis", call.attr("dim"));
  ExportCall::set(node, "keepdims", call.attr("keepdim"));
  ExportCall::set(node, "select_last_index", call.attr("select_last"));
}

void write_cumsum(ExportCall& call) {
  proto::NodeProto& node = call.add(
      "CumSum",
      {call.inputs()[0], call.constant(Tensor::of<std::int64_t>({}, {call.integer("dim")}))});
  ExportCall::set(node, "exclusive", call.attr("exclusive"));
  ExportCall::set(node, "reverse", call.attr("reverse"));
}

void write_topk(ExportCall& call) {
  proto::NodeProto& node =
      call.add_all("TopK", {call.inputs()[0], call.whole_numbers({call.integer("k")})});
  ExportCall::set(node, "axis", call.attr("dim"));
  ExportCall::set(node, "largest", call.attr("largest"));
  ExportCall::set(node, "sorted", call.attr("sorted"));
}

}  // namespace

OnnxFamily define() {
  return {.imports =
              {{"ReduceSum", [](const OnnxCall& call) { apply(call, {}); }},
               {"ReduceMean", [](const OnnxCall& call) { apply(call, {.op = "mean"}); }},
               {"ReduceMax", [](const OnnxCall& call) { apply(call, {.op = "amax"}); }},
               {"ReduceMin", [](const OnnxCall& call) { apply(call, {.op = "amin"}); }},
               {"ReduceProd", [](const OnnxCall& call) { apply(call, {.op = "prod"}); }},
               {"ReduceL1", [](const OnnxCall& call) { apply(call, {.before = "abs"}); }},
               {"ReduceL2",
                [](const OnnxCall& call) { apply(call, {.before = "square", .after = "sqrt"}); }},
               {"ReduceSumSquare", [](const OnnxCall& call) { apply(call, {.before = "square"}); }},
               {"ReduceLogSum", [](const OnnxCall& call) { apply(call, {.after = "log"}); }},
               {"ReduceLogSumExp", [](const OnnxCall& call) { apply(call, {.op = "logsumexp"}); }},
               {"ArgMax", import_arg_extreme},
               {"ArgMin", import_arg_extreme},
               {"CumSum", import_cumsum},
               {"TopK", import_topk}},
          .exports = {{"sum", write_sum},
                      {"mean", write_reduction},
                      {"amax", write_reduction},
                      {"amin", write_reduction},
                      {"prod", write_reduction},
                      {"logsumexp", write_reduction},
                      {"argmax", write_arg_extreme},
                      {"argmin", write_arg_extreme},
                      {"cumsum", write_cumsum},
                      {"topk", write_topk}}};
}

}  // namespace chop::onnx::defs::reduce

// Losses over classes: NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
#include "onnx/import_helpers.hpp"
#include "support/text.hpp"

namespace chop::onnx::defs::loss {
namespace {

/// -w[t] · x[n, t, ...] of log-probabilities x, without the ignored targets, put together as
/// `reduction` says. The call that refuses a class that is none has the name of the ONNX node.
ImportValue likelihood_loss(const OnnxCall& call, ImportValue x, std::string name) {
  Importer& make = call.make();
  make.name_next("");
  const ImportValue target = cast(make, call.in(1), DType::I64);
  if (make.failed()) return kNone;
  const std::string reduction = call.text("reduction", "mean");
  const DType dtype = make.dtype(x);
  const bool ignores = call.has_attr("ignore_index");
  ImportValue kept = kNone;
  ImportValue safe = target;
  if (ignores) {
    const std::int64_t ignored = call.integer("ignore_index", -1);
    const ImportValue number = make.constant(Tensor::of<std::int64_t>({}, {ignored}));
    const ImportValue is_ignored = make.call("eq", {target, number});
    kept = cast(make, make.call("logical_not", {is_ignored}), dtype);
    safe =
        make.call("where", {is_ignored, make.constant(Tensor::of<std::int64_t>({}, {0})), target});
  }
  const ImportValue index = make.call("unsqueeze", {safe}, {{"dim", 1}});
  // A class counts from 0; a negative one is no class, unless it is the one to ignore.
  make.name_next(std::move(name));
  ImportValue picked = make.call("gather_elements", {x, index}, {{"dim", 1}, {"from_end", false}});
  picked = make.call("neg", {make.call("squeeze", {picked}, {{"dim", Ints{1}}})});
  ImportValue weight = kept;
  if (call.has(2)) {
    weight = make.call("gather", {call.in(2), safe}, {{"dim", 0}});
    if (ignores) weight = make.call("mul", {weight, kept});
  }
  const ImportValue each = weight == kNone ? picked : make.call("mul", {picked, weight});
  if (reduction == "none") return each;
  if (reduction == "sum") return make.call("sum", {each});
  if (reduction != "mean") call.fail(cat(call.op_type(), ": reduction '", reduction, "'"));
  if (weight == kNone) return make.call("mean", {each});
  return make.call("div", {make.call("sum", {each}), make.call("sum", {weight})});
}

void import_likelihood(const OnnxCall& call) {
  call.out(likelihood_loss(call, call.in(0), call.make().node_name()));
}

void import_cross_entropy(const OnnxCall& call) {
  Importer& make = call.make();
  std::string name = make.node_name();
  make.name_next("");
  const ImportValue x = make.call("log_softmax", {call.in(0)}, {{"dim", 1}});
  call.out(0, likelihood_loss(call, x, std::move(name)));
  call.out(1, x);
}

}  // namespace

OnnxFamily define() {
  return {.imports = {{"NegativeLogLikelihoodLoss", import_likelihood},
                      {"SoftmaxCrossEntropyLoss", import_cross_entropy}}};
}

}  // namespace chop::onnx::defs::loss

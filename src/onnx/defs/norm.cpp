// Normalisation.
#include "onnx/export/export_call.hpp"
#include "onnx/import_helpers.hpp"
#include "support/text.hpp"

namespace chop::onnx::defs::norm {
namespace {

/// [1, C, 1, ...]: a vector along the channels of x.
ImportValue along_channels(Importer& make, ImportValue vector, std::size_t rank) {
  Shape shape(rank, 1);
  if (rank > 1) shape[1] = -1;
  return reshaped(make, vector, std::move(shape));
}

/// Mean and variance over `dims`, which stay with size one, and x without its mean.
struct Moments {
  ImportValue mean, centred, variance;
};
Moments moments(Importer& make, ImportValue x, const Ints& dims) {
  const ImportValue mean = make.call("mean", {x}, {{"dim", dims}, {"keepdim", true}});
  const ImportValue centred = make.call("sub", {x, mean});
  const ImportValue variance =
      make.call("mean", {make.call("mul", {centred, centred})}, {{"dim", dims}, {"keepdim", true}});
  return {mean, centred, variance};
}

/// With the statistics of the batch, and running ones that move towards them.
void import_training(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  Ints dims = {0};
  for (std::size_t d = 2; d < make.rank(x); ++d) dims.push_back(static_cast<std::int64_t>(d));
  const Moments about = moments(make, x, dims);
  const ImportValue deviation =
      make.call("sqrt", {with_number(make, "add", about.variance, call.real("epsilon", 1e-5))});
  const std::size_t rank = make.rank(x);
  ImportValue y = make.call("div", {about.centred, deviation});
  y = make.call("mul", {y, along_channels(make, call.in(1), rank)});
  call.out(make.call("add", {y, along_channels(make, call.in(2), rank)}));
  const double momentum = call.real("momentum", 0.9);
  const auto moved = [&](std::size_t running, ImportValue now) {
    const ImportValue flat = reshaped(make, now, {-1});
    return make.call("add", {with_number(make, "mul", call.in(running), momentum),
                             with_number(make, "mul", flat, 1 - momentum)});
  };
  if (call.wants(1)) call.out(1, moved(3, about.mean));
  if (call.wants(2)) call.out(2, moved(4, about.variance));
}

void import_batch_norm(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  if (call.integer("training_mode", 0) != 0) return import_training(call);
  if (call.version() < 9 && call.integer("spatial", 1) == 0)
    return call.fail("BatchNormalization with spatial=0");
  const std::size_t rank = make.rank(x);
  const Shape channels = make.shape(call.in(1));
  if (make.failed()) return;
  if (rank < 2 || rank > 5 || channels.size() != 1)
    return call.fail(cat("BatchNormalization of ", to_string(make.shape(x))),
                     "two to five dimensions can be normalised");
  const LayerParams params = {{"weight", call.in(1)},
                              {"bias", call.in(2)},
                              {"running_mean", call.in(3)},
                              {"running_var", call.in(4)}};
  const char* op = rank <= 3 ? "batch_norm1d" : rank == 4 ? "batch_norm2d" : "batch_norm3d";
  call.out(layer(call, op, x,
                 {{"num_features", channels[0]},
                  {"eps", call.real("epsilon", 1e-5)},
                  {"momentum", 1 - call.real("momentum", 0.9)}},
                 params));
}

/// Mean 0 and variance 1 over `dims`, and what that took.
struct Normalised {
  ImportValue y, mean, inverse;
};
Normalised normalised(Importer& make, ImportValue x, const Ints& dims, double epsilon) {
  const Moments about = moments(make, x, dims);
  const ImportValue inverse = make.call(
      "reciprocal", {make.call("sqrt", {with_number(make, "add", about.variance, epsilon)})});
  return {make.call("mul", {about.centred, inverse}), about.mean, inverse};
}

void import_instance_norm(const OnnxCall& call) {
  call.out(call.make().call("instance_norm", {call.in(0), call.in(1), call.in(2)},
                            {{"eps", call.real("epsilon", 1e-5)}}));
}

void import_layer_norm(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  const ImportValue scale = call.in(1);
  if (make.failed()) return;
  const std::int64_t axis = call.axis(call.integer("axis", -1), make.rank(x));
  const double epsilon = call.real("epsilon", 1e-5);
  if (make.failed()) return;
  const Shape open = make.open_shape(x);
  const Shape tail(open.begin() + axis, open.end());
  const bool simple = !call.wants(1) && !call.wants(2) && make.shape(scale) == tail &&
                      call.has(2) && make.shape(call.in(2)) == tail;
  if (simple)
    return call.out(layer(call, "layer_norm", x, {{"normalized_shape", tail}, {"eps", epsilon}},
                          {{"weight", scale}, {"bias", call.in(2)}}));
  Ints dims;
  for (std::size_t d = static_cast<std::size_t>(axis); d < open.size(); ++d)
    dims.push_back(static_cast<std::int64_t>(d));
  const Normalised normal = normalised(make, x, dims, epsilon);
  ImportValue y = make.call("mul", {normal.y, scale});
  if (call.has(2)) y = make.call("add", {y, call.in(2)});
  call.out(y);
  call.out(1, normal.mean);
  call.out(2, normal.inverse);
}

void import_mean_variance(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  const Ints dims = call.ints("axes", {0, 2, 3});
  const Moments about = moments(make, x, dims);
  call.out(make.call(
      "div", {about.centred, with_number(make, "add", make.call("sqrt", {about.variance}), 1e-9)}));
}

void import_lrn(const OnnxCall& call) {
  call.out(call.make().call("local_response_norm", {call.in(0)},
                            {{"size", call.integer("size", 1)},
                             {"alpha", call.real("alpha", 1e-4)},
                             {"beta", call.real("beta", 0.75)},
                             {"k", call.real("bias", 1)}}));
}

void write_batch_norm(ExportCall& call) {
  if (!call.flag("track_running_stats")) return call.fail("batch_norm without running statistics");
  std::vector<std::string> operands = call.operands();
  if (!call.flag("affine")) {
    const std::int64_t channels = call.integer("num_features");
    operands.insert(operands.begin() + 1, {call.constant(Tensor::full({channels}, 1.0)),
                                           call.constant(Tensor::full({channels}, 0.0))});
  }
  proto::NodeProto& node = call.add("BatchNormalization", operands);
  ExportCall::set(node, "epsilon", call.attr("eps"));
  ExportCall::set(node, "momentum", 1 - call.real("momentum"));
}

void write_layer_norm(ExportCall& call) {
  const Ints tail = call.ints("normalized_shape");
  std::vector<std::string> operands = call.operands();
  if (!call.flag("elementwise_affine")) operands.push_back(call.constant(Tensor::full(tail, 1.0)));
  proto::NodeProto& node = call.add("LayerNormalization", operands);
  ExportCall::set(node, "axis", -static_cast<std::int64_t>(tail.size()));
  ExportCall::set(node, "epsilon", call.attr("eps"));
}

void write_instance_norm(ExportCall& call) {
  ExportCall::set(call.add("InstanceNormalization", call.inputs()), "epsilon", call.attr("eps"));
}

void write_lrn(ExportCall& call) {
  proto::NodeProto& node = call.add("LRN", call.inputs());
  ExportCall::set(node, "size", call.attr("size"));
  ExportCall::set(node, "alpha", call.attr("alpha"));
  ExportCall::set(node, "beta", call.attr("beta"));
  ExportCall::set(node, "bias", call.attr("k"));
}

}  // namespace

OnnxFamily define() {
  return {.imports = {{"BatchNormalization", import_batch_norm, "", {"is_test"}},
                      {"InstanceNormalization", import_instance_norm},
                      {"LayerNormalization", import_layer_norm, "", {"stash_type"}},
                      {"MeanVarianceNormalization", import_mean_variance},
                      {"LRN", import_lrn}},
          .exports = {{"batch_norm1d", write_batch_norm},
                      {"batch_norm2d", write_batch_norm},
                      {"batch_norm3d", write_batch_norm},
                      {"layer_norm", write_layer_norm},
                      {"instance_norm", write_instance_norm},
                      {"local_response_norm", write_lrn}}};
}

}  // namespace chop::onnx::defs::norm

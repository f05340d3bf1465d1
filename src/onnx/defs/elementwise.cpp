// Elementwise operators of any number of inputs, of two types, or with a choice of meaning.
#include "onnx/export/export_call.hpp"
#include "onnx/import_helpers.hpp"
#include "support/text.hpp"

namespace chop::onnx::defs::elementwise {
namespace {

ImportValue chained(const OnnxCall& call, const char* op) {
  Importer& make = call.make();
  ImportValue all = call.in(0);
  if (call.inputs() == 1) return make.call("identity", {all});
  for (std::size_t i = 1; i < call.inputs(); ++i) all = make.call(op, {all, call.in(i)});
  return all;
}

void import_mean(const OnnxCall& call) {
  call.out(
      with_number(call.make(), "div", chained(call, "add"), static_cast<double>(call.inputs())));
}

void import_mod(const OnnxCall& call) {
  call.out(call.make().call(call.integer("fmod", 0) != 0 ? "fmod" : "remainder",
                            {call.in(0), call.in(1)}));
}

void import_bit_shift(const OnnxCall& call) {
  const bool left = call.text("direction", "LEFT") == "LEFT";
  call.out(call.make().call(left ? "bitwise_left_shift" : "bitwise_right_shift",
                            {call.in(0), call.in(1)}));
}

void import_cast_like(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue like = call.in(1);
  if (make.failed()) return;
  call.out(make.call("cast", {call.in(0)}, {{"dtype", std::string(name_of(make.dtype(like)))}}));
}

void import_pow(const OnnxCall& call) {
  call.out(call.make().call("pow", {call.in(0), call.in(1)}));
}

void write_cast(ExportCall& call) {
  const Result<DType> dtype = dtype_from_name(call.text("dtype"));
  ExportCall::set(call.add("Cast", call.inputs()), "to", std::int64_t{onnx_type_of(dtype.value())});
}

void write_fmod(ExportCall& call) {
  ExportCall::set(call.add("Mod", call.inputs()), "fmod", std::int64_t{1});
}

void write_left_shift(ExportCall& call) {
  ExportCall::set(call.add("BitShift", call.inputs()), "direction", std::string("LEFT"));
}

void write_right_shift(ExportCall& call) {
  ExportCall::set(call.add("BitShift", call.inputs()), "direction", std::string("RIGHT"));
}

}  // namespace

OnnxFamily define() {
  return {.imports = {{"Sum", [](const OnnxCall& call) { call.out(chained(call, "add")); }},
                      {"Max", [](const OnnxCall& call) { call.out(chained(call, "maximum")); }},
                      {"Min", [](const OnnxCall& call) { call.out(chained(call, "minimum")); }},
                      {"Mean", import_mean},
                      {"Mod", import_mod},
                      {"BitShift", import_bit_shift},
                      {"CastLike", import_cast_like, "", {"saturate"}},  // of float8 types alone
                      {"Pow", import_pow}},
          .exports = {{"cast", write_cast},
                      {"fmod", write_fmod},
                      {"bitwise_left_shift", write_left_shift},
                      {"bitwise_right_shift", write_right_shift}}};
}

}  // namespace chop::onnx::defs::elementwise

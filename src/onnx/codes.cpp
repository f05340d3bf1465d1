#include "onnx/codes.hpp"

namespace chop::onnx {

const Codes* codes_of(DType dtype) {
  static constexpr std::array<Codes, 4> kAll = {{{DType::I8, -128, 127},
                                                 {DType::U8, 0, 255},
                                                 {DType::I16, -32768, 32767},
                                                 {DType::U16, 0, 65535}}};
  const auto* found = std::ranges::find(kAll, dtype, &Codes::dtype);
  return found == kAll.end() ? nullptr : found;
}

ImportValue along(Importer& make, ImportValue vector, std::int64_t axis, std::size_t rank) {
  if (make.failed() || make.rank(vector) == 0 || numel(make.shape(vector)) == 1) {
    return make.failed() || make.rank(vector) == 0 ? vector : reshaped(make, vector, {});
  }
  Shape shape(rank, 1);
  if (static_cast<std::size_t>(axis) >= rank) {
    make.fail({.what = cat("a scale or zero point for each index of dimension ", axis,
                           " of a tensor that has ", rank)});
    return kNone;
  }
  shape[static_cast<std::size_t>(axis)] = make.shape(vector)[0];
  return reshaped(make, vector, std::move(shape));
}

ImportValue to_codes(Importer& make, ImportValue x, ImportValue zero, DType dtype) {
  ImportValue y = make.call("round", {x});
  if (zero != kNone) y = make.call("add", {y, cast(make, zero, DType::F32)});
  const Codes* codes = codes_of(dtype);
  if (codes == nullptr) {
    make.fail(
        {.what = cat("a zero point of ", name_of(dtype)), .hint = "codes are i8, u8, i16 or u16"});
    return kNone;
  }
  y = make.call("clamp", {y}, {{"min", codes->low}, {"max", codes->high}});
  return cast(make, y, dtype);
}

ImportValue from_codes(Importer& make, ImportValue codes, ImportValue zero) {
  const ImportValue y = cast(make, codes, DType::F32);
  return zero == kNone ? y : make.call("sub", {y, cast(make, zero, DType::F32)});
}

}  // namespace chop::onnx

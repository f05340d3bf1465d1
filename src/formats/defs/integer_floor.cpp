// q = clamp(floor(x · 2^f), low, high) / 2^f: as integer, rounded toward minus infinity.
#include "formats/defs/integer-simd.hpp"
#include "formats/numbers.hpp"

namespace chop::formats::integer_floor {
namespace {

Grid element(const Config& config) {
  Grid grid = integer::element(config);
  grid.rounding = Rounding::Down;
  return grid;
}

std::optional<OnnxForm> onnx(const Config& config) {
  std::optional<OnnxForm> form = integer::onnx(config);
  form->rounding = Rounding::Down;
  return form;
}

}  // namespace

FormatDef define() {
  FormatDef def = integer::define();
  def.name = "integer_floor";
  def.suffix = "IntegerFloor";
  def.doc =
      "q = clamp(floor(x · 2^frac_width), low, high) / 2^frac_width. As `integer`, rounded toward "
      "minus infinity: what hardware gets by dropping bits.";
  def.aliases = {};
  def.codec.element = own<element>;
  def.onnx = onnx;
  def.samples = {"width=8 frac_width=4", "width=5 frac_width=7 is_signed=false"};
  return def;
}

}  // namespace chop::formats::integer_floor

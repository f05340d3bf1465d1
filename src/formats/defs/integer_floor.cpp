// q = clamp(floor(x · 2^f), low, high) / 2^f: as integer, rounded toward minus infinity.
#include "formats/numbers.hpp"

namespace chop::formats::integer_floor {

FormatDef define() {
  FormatDef def = integer::define();
  def.name = "integer_floor";
  def.suffix = "IntegerFloor";
  def.doc =
      "q = clamp(floor(x · 2^frac_width), low, high) / 2^frac_width. As `integer`, rounded toward "
      "minus infinity: what hardware gets by dropping bits.";
  def.aliases = {};
  def.element = [](const Config& config) {
    Element e = integer::element(config);
    e.floor = true;
    return e;
  };
  return def;
}

}  // namespace chop::formats::integer_floor

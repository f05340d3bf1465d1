// FPGA families that Yosys can map to, and the parts of each.
#pragma once

#include "support/result.hpp"

namespace chop::hardware {

/// A device that nextpnr knows.
struct PlacingDevice {
  std::string_view name;
  std::string_view mark;     ///< in the names of parts that are one: "hx8k" in ice40hx8k-ct256
  std::string_view options;  ///< of nextpnr: device and package
};

/// What nextpnr has for a family; no devices: nothing.
struct Placer {
  std::string_view program = {};
  std::string_view unconstrained = {};      ///< the option that lets it choose pins
  std::string_view cell = {};               ///< what its report calls a logic cell
  std::string_view hint = {};               ///< where it is missing
  std::vector<PlacingDevice> devices = {};  ///< the first stands for the family
};

struct SynthesisTarget {
  std::string_view name;  ///< of the family
  std::string_view doc;
  std::string_view command;             ///< of Yosys, without the top
  std::string_view folded_command;      ///< the same, with DSPs and memories
  std::string_view cells;               ///< the file of Yosys that says what its cells compute
  std::vector<std::string_view> parts;  ///< beginnings of their names
  /// How the names of cells begin that are of a kind.
  std::vector<std::string_view> luts;
  std::vector<std::string_view> registers;
  std::vector<std::string_view> carries;
  std::vector<std::string_view> muxes;
  std::vector<std::string_view> dsps;
  std::vector<std::string_view> memories;
  std::int64_t luts_per_carry = 0;  ///< that a carry cell occupies
  bool maps_with_abc9 = false;      ///< without being told to
  int free_bits = 0;  ///< inputs that a LUT in front of a carry has beside the sum so far
  Placer placer = {};
};

std::span<const SynthesisTarget> all_targets();
/// The family of that name, or the one that a part such as xcu250-figd2104-2L-e belongs to; the
/// error lists what is known.
Result<const SynthesisTarget*> find_target(std::string_view part);

/// LUTs that a part has; nothing where only its family is known.
std::optional<std::int64_t> luts_of_part(std::string_view part);

}  // namespace chop::hardware

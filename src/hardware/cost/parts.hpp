// What of a module becomes LUTs, by the way in which a synthesiser maps it.
#pragma once

#include "hardware/netlist/netlist.hpp"

namespace chop::hardware {

/// Each is a number of LUTs by a rule of thumb; estimate.cpp has a factor for each, measured.
struct CostParts {
  double sums = 0;       ///< bits of carry chains where both operands have one
  double inverters = 0;  ///< bits of carry chains that turn the other operand's bit around
  double rounds = 0;     ///< what decides whether a rounding goes up
  double compares = 0;
  double selects = 0;    ///< bits that are one of several
  double functions = 0;  ///< functions of one wire of few bits, as truth tables
  double products = 0;   ///< bits of partial products that the synthesiser adds up
  double carries = 0;    ///< cells of four bits

  static constexpr std::size_t kCount = 8;
  std::array<double, kCount> list() const {
    return {sums, inverters, rounds, compares, selects, functions, products, carries};
  }
  void add(const CostParts& more, double times = 1);
};

/// Of a module's own cells, those that are `live`, without its instances.
CostParts parts_of(const Module& module, const std::vector<bool>& live);

/// LUTs of six inputs for a function of `width` bits, `bits` of each result: results[x] is that of
/// the bit pattern x.
double function_luts(std::span<const std::int64_t> results, int width, int bits);

}  // namespace chop::hardware

// Constant matrices as adders: for all methods the same numbers, proven by their coefficients.
#include <gtest/gtest.h>

#include "hardware/adders/adder_graph.hpp"
#include "hardware/cost/estimate.hpp"
#include "support/rng.hpp"

namespace chop::hardware {
namespace {

LinearMap random_map(std::size_t rows, std::size_t columns, int bits, std::uint64_t seed) {
  const Stream stream(seed, "matrix");
  LinearMap map{.rows = rows, .columns = columns};
  std::uint64_t n = 0;
  const auto draw = [&] {
    return static_cast<std::int64_t>(stream.uniform(n++) * std::ldexp(1.0, bits)) -
           (std::int64_t{1} << (bits - 1));
  };
  for (std::size_t i = 0; i < rows * columns; ++i) map.weight.push_back(draw());
  for (std::size_t i = 0; i < rows; ++i) map.bias.push_back(draw());
  return map;
}

Netlist netlist_of(const LinearMap& map, const AdderOptions& options, const Interval& x = {-8, 7}) {
  ModuleBuilder cells("matrix");
  std::vector<WireId> wires;
  for (std::size_t i = 0; i < map.columns; ++i) wires.push_back(cells.input(cat("x_", i), x));
  const std::vector<WireId> y = build_linear(cells, map, wires, options);
  for (std::size_t i = 0; i < y.size(); ++i) cells.output(cat("y_", i), y[i]);
  Netlist netlist;
  netlist.modules.push_back(std::move(cells).finish(0));
  return netlist;
}

std::vector<LinearForm> forms_of(const LinearMap& map) {
  std::vector<LinearForm> forms;
  for (std::size_t row = 0; row < map.rows; ++row) {
    LinearForm form{.constant = map.bias[row]};
    for (std::size_t column = 0; column < map.columns; ++column)
      if (map.at(row, column) != 0) form.coefficients[column] = map.at(row, column);
    forms.push_back(std::move(form));
  }
  return forms;
}

TEST(Adders, CanonicalDigitsAreTheNumberAndNeverNeighbours) {
  for (std::int64_t value = -1000; value <= 1000; ++value) {
    std::int64_t sum = 0;
    int before = -2;
    for (const Digit& digit : canonical_digits(value)) {
      EXPECT_GT(digit.shift, before + 1) << value;
      before = digit.shift;
      sum += digit.sign * (std::int64_t{1} << digit.shift);
    }
    EXPECT_EQ(sum, value);
  }
}

TEST(Adders, EveryMethodIsProvenEqualToItsMatrix) {
  const std::vector<std::array<std::size_t, 2>> sizes = {{1, 1}, {3, 2}, {5, 16}, {16, 7}};
  for (const auto& [rows, columns] : sizes)
    for (const int bits : {1, 3, 8})
      for (const AdderMethod method : {AdderMethod::Plain, AdderMethod::Canonical,
                                       AdderMethod::Shared, AdderMethod::Tables, AdderMethod::Best})
        for (const Interval& x : {Interval{-8, 7}, Interval{0, 2}, Interval{-100, 90}}) {
          const LinearMap map = random_map(rows, columns, bits, rows * 100 + columns);
          const Netlist netlist = netlist_of(map, {.method = method}, x);
          ASSERT_TRUE(verify(netlist)) << to_string(verify(netlist).error());
          const Status proven = prove_linear(netlist, 0, forms_of(map));
          EXPECT_TRUE(proven) << static_cast<int>(method) << ": " << to_string(proven.error());
        }
}

TEST(Adders, TheCircuitGivesTheNumbersOfTheMatrix) {
  const LinearMap map = random_map(6, 9, 6, 4);
  const Netlist netlist = netlist_of(map, {});
  const Stream stream(1, "samples");
  for (std::uint64_t n = 0; n < 50; ++n) {
    std::vector<std::int64_t> x;
    for (std::uint64_t i = 0; i < map.columns; ++i)
      x.push_back(static_cast<std::int64_t>(stream.uniform(n * 100 + i) * 16) - 8);
    const std::vector<std::int64_t> y = NetlistInterpreter(netlist).run(x);
    for (std::size_t row = 0; row < map.rows; ++row) {
      std::int64_t sum = map.bias[row];
      for (std::size_t column = 0; column < map.columns; ++column)
        sum += map.at(row, column) * x[column];
      EXPECT_EQ(y[row], sum);
    }
  }
}

TEST(Adders, SharingNeedsFewerAddersThanDigitsAlone) {
  const LinearMap map = random_map(32, 16, 8, 9);
  const CellCounts canonical = count_cells(netlist_of(map, {.method = AdderMethod::Canonical}));
  const CellCounts shared = count_cells(netlist_of(map, {.method = AdderMethod::Shared}));
  EXPECT_LT(shared.adders * 10, canonical.adders * 8);
  EXPECT_LT(shared.adder_bits, canonical.adder_bits);
}

/// Half of the weights are 0; with each method, LUTs by the estimate.
std::map<AdderMethod, std::int64_t> luts_of(LinearMap map, const Interval& x) {
  for (std::size_t i = 0; i < map.weight.size(); i += 2) map.weight[i] = 0;
  std::map<AdderMethod, std::int64_t> luts;
  for (const AdderMethod method : {AdderMethod::Shared, AdderMethod::Tables, AdderMethod::Best})
    luts[method] = estimate(netlist_of(map, {.method = method}, x)).luts;
  return luts;
}

TEST(Adders, ProductsOfNarrowInputsArePartOfAddersAndTheBestWayIsChosen) {
  auto narrow = luts_of(random_map(8, 12, 6, 5), {0, 15});
  EXPECT_LT(narrow[AdderMethod::Tables] * 10, narrow[AdderMethod::Shared] * 9);
  EXPECT_LT(narrow[AdderMethod::Best] * 10, narrow[AdderMethod::Shared] * 9);
  auto wide = luts_of(random_map(48, 12, 3, 5), {-128, 127});
  EXPECT_LT(wide[AdderMethod::Shared], wide[AdderMethod::Tables]);
  EXPECT_LE(wide[AdderMethod::Best], wide[AdderMethod::Shared]);
}

TEST(Adders, TablesKeepADepth) {
  const LinearMap map = random_map(4, 40, 6, 2);
  const Netlist flat = netlist_of(map, {.method = AdderMethod::Tables, .depth = 7});
  EXPECT_LE(count_cells(flat).adder_depth, 7);
  EXPECT_GT(count_cells(netlist_of(map, {.method = AdderMethod::Tables})).adder_depth, 7);
  EXPECT_TRUE(prove_linear(flat, 0, forms_of(map)));
}

TEST(Adders, AChangedEntryOfATableIsNoticedByTheProof) {
  const LinearMap map = random_map(3, 4, 6, 3);
  Netlist netlist = netlist_of(map, {.method = AdderMethod::Tables});
  ASSERT_TRUE(prove_linear(netlist, 0, forms_of(map)));
  for (Rom& rom : netlist.modules[0].tables)
    for (std::int64_t& entry : rom.entries) {
      ++entry;
      EXPECT_FALSE(prove_linear(netlist, 0, forms_of(map)));
      --entry;
    }
}

TEST(Adders, ADepthIsKept) {
  const LinearMap map = random_map(12, 8, 6, 2);
  const int free = count_cells(netlist_of(map, {})).adder_depth;
  const Netlist flat = netlist_of(map, {.depth = 6});
  EXPECT_LE(count_cells(flat).adder_depth, 7);  // and one for the bias
  EXPECT_GT(free, 7);
  EXPECT_TRUE(prove_linear(flat, 0, forms_of(map)));
}

TEST(Adders, AChangedCellIsNoticedByTheProof) {
  const LinearMap map = random_map(4, 5, 6, 3);
  Netlist netlist = netlist_of(map, {});
  for (NetlistCell& cell : netlist.modules[0].cells) {
    if (cell.kind != CellKind::Add) continue;
    cell.kind = CellKind::Sub;
    EXPECT_FALSE(prove_linear(netlist, 0, forms_of(map)));
    cell.kind = CellKind::Add;
  }
  LinearMap other = map;
  other.weight[7] += 1;
  EXPECT_FALSE(prove_linear(netlist, 0, forms_of(other)));
}

}  // namespace
}  // namespace chop::hardware

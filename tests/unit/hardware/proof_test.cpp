// And-inverter graphs of netlists: they compute what the cells do, and survive AIGER.
#include "hardware/proof/aig.hpp"

#include <gtest/gtest.h>

#include "hardware/netlist/builder.hpp"
#include "hardware/netlist/from_integer.hpp"
#include "hardware/proof/equivalence.hpp"
#include "hardware/proof/layers.hpp"
#include "hardware/proof/netlist_aig.hpp"
#include "hardware/verilog/simulate.hpp"
#include "hardware/verilog/synthesise.hpp"
#include "support/rng.hpp"
#include "support/system/files.hpp"
#include "support/system/run_program.hpp"
#include "unit/io/temp_folder.hpp"

namespace chop::hardware {
namespace {

/// Every kind of cell that computes, on signed and unsigned wires.
Netlist many_cells() {
  Netlist netlist;
  ModuleBuilder inner("inner");
  const WireId a = inner.input("a", {-20, 20});
  inner.output("b", inner.add(a, inner.constant(3)));
  netlist.modules.push_back(std::move(inner).finish(0));
  ModuleBuilder cells("top");
  const WireId x = cells.input("x", {-8, 7});
  const WireId y = cells.input("y", {0, 15});
  const WireId z = cells.input("z", {-3, 5});
  const std::vector<WireId> made = {
      cells.add(x, y),
      cells.sub(x, y),
      cells.mul(x, z),
      cells.mul(y, y),
      cells.scale(x, -5),
      cells.shift(x, 3),
      cells.shift(x, -2),
      cells.shift(y, -1),
      cells.round(cells.mul(x, y), 1),
      cells.round(cells.mul(x, y), 3),
      cells.round(y, 4),
      cells.round(cells.mul(x, y), 12),
      cells.bits(x, 1, 2),
      cells.less(x, y),
      cells.less(y, z),
      cells.min(x, y),
      cells.max(z, x),
      cells.mux(cells.less(x, z), y, z),
      cells.table(z, {.first = -4, .entries = {9, -9, 8, -8, 7, -7, 6, -6, 5, -5}}),
      cells.clamp(cells.add(x, z), {-5, 4}),
      cells.instance("k", netlist, 0, {z})[0]};
  for (std::size_t i = 0; i < made.size(); ++i)
    cells.output(cat("o_", i), cells.registered(made[i]));
  netlist.modules.push_back(std::move(cells).finish(1));
  return netlist;
}

Aig aig_of(const Netlist& netlist) {
  AigBuilder made(input_bits(netlist).size());
  for (const Literal bit : build_aig(netlist, made, inputs_in_range(netlist, made)))
    made.output(bit);
  return std::move(made).finish();
}

/// What a graph makes of one sample, as whole numbers.
std::vector<std::int64_t> run(const Netlist& netlist, const Aig& aig,
                              std::span<const std::int64_t> sample) {
  const Module& top = netlist.top();
  std::vector<std::uint64_t> bits;
  const std::vector<WireId> ports = top.inputs();
  for (std::size_t i = 0; i < ports.size(); ++i)
    for (int b = 0; b < width_of(top.range(ports[i])); ++b)
      bits.push_back(static_cast<std::uint64_t>(sample[i] >> b & 1));
  const std::vector<std::uint64_t> made = evaluate(aig, bits);
  std::vector<std::int64_t> values;
  std::size_t next = 0;
  for (const Output& output : top.outputs) {
    const Interval& range = top.range(output.wire);
    const int width = width_of(range);
    std::int64_t value = 0;
    for (int b = 0; b < width; ++b) value |= static_cast<std::int64_t>(made[next++] & 1U) << b;
    if (range.is_signed() && (value >> (width - 1) & 1) != 0) value -= std::int64_t{1} << width;
    values.push_back(value);
  }
  return values;
}

TEST(Proof, TheGraphOfANetlistComputesWhatItsCellsDoForAllInputs) {
  const Netlist netlist = many_cells();
  ASSERT_TRUE(verify(netlist)) << to_string(verify(netlist).error());
  const Aig aig = aig_of(netlist);
  for (std::int64_t x = -8; x <= 7; ++x)
    for (std::int64_t y = 0; y <= 15; ++y)
      for (std::int64_t z = -3; z <= 5; ++z) {
        const std::vector<std::int64_t> sample = {x, y, z};
        ASSERT_EQ(run(netlist, aig, sample), NetlistInterpreter(netlist).run(sample))
            << x << " " << y << " " << z;
      }
}

TEST(Proof, CodesThatAnInputNeverHasCountAsTheNearestThatItHas) {
  const Netlist netlist = many_cells();
  const Aig aig = aig_of(netlist);
  EXPECT_EQ(run(netlist, aig, std::vector<std::int64_t>{1, 2, 7}),
            run(netlist, aig, std::vector<std::int64_t>{1, 2, 5}));
  EXPECT_EQ(run(netlist, aig, std::vector<std::int64_t>{1, 2, -8}),
            run(netlist, aig, std::vector<std::int64_t>{1, 2, -3}));
}

TEST(Proof, AigerReadsBackAsTheSameGraph) {
  const Aig aig = aig_of(many_cells());
  const std::string bytes = write_aiger(aig);
  const Result<Aig> again = read_aiger(bytes);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(write_aiger(again.value()), bytes);
  std::vector<std::uint64_t> inputs;
  const Stream stream(1, "aig");
  for (std::size_t i = 0; i < aig.inputs; ++i)
    inputs.push_back(static_cast<std::uint64_t>(stream.uniform(i) * 0x1p53) * 2049);
  EXPECT_EQ(evaluate(aig, inputs), evaluate(again.value(), inputs));
}

TEST(Proof, AFileThatEndsEarlyIsAnErrorWhereverItEnds) {
  const std::string bytes = write_aiger(aig_of(many_cells()));
  for (std::size_t size = 0; size + 1 < bytes.size(); ++size)
    EXPECT_FALSE(read_aiger(std::string_view(bytes).substr(0, size))) << size;
  EXPECT_FALSE(read_aiger("aig 99999999999 1 0 1 0\n2\n"));
  EXPECT_FALSE(read_aiger("aig 1 1 0 1 0\n4\n"));
  EXPECT_FALSE(read_aiger("aag 1 1 0 1 0\n2\n"));
}

/// Inputs a and b; a behind `first` latches and b behind `second`; their AND behind one more.
Aig two_paths(std::size_t first, std::size_t second) {
  Aig aig{.inputs = 2};
  const auto latch = [&aig](std::size_t i) {
    return static_cast<Literal>(2 * (aig.first_latch() + i));
  };
  Literal a = 2;
  Literal b = 4;
  for (std::size_t i = 0; i < first; ++i) {
    aig.latches.push_back(a);
    a = latch(i);
  }
  for (std::size_t i = 0; i < second; ++i) {
    aig.latches.push_back(b);
    b = latch(first + i);
  }
  aig.latches.push_back(0);
  aig.ands.push_back({a, b});
  aig.latches.back() = static_cast<Literal>(2 * aig.first_and());
  aig.outputs.push_back(latch(first + second));
  return aig;
}

TEST(Proof, RegistersAreCountedOnEveryPath) {
  const Result<Steady> even = without_latches(two_paths(2, 2));
  ASSERT_TRUE(even) << to_string(even.error());
  EXPECT_EQ(even.value().latency, 3);
  EXPECT_EQ(evaluate(even.value().aig, std::vector<std::uint64_t>{0b1100, 0b1010})[0], 0b1000U);
  EXPECT_FALSE(without_latches(two_paths(2, 1)));
  Aig loop = two_paths(0, 0);
  loop.ands[0][0] = static_cast<Literal>(2 * loop.first_latch());
  EXPECT_FALSE(without_latches(loop));
}

bool has_tools() {
  return has_program("yosys") && (has_program("yosys-abc") || has_program("berkeley-abc"));
}

/// The circuit of all cells in files, and what Yosys makes of it.
class Emitted {
 public:
  Emitted() : netlist_(many_cells()) {
    for (const SourceFile& file : circuit_files(netlist_, {.inputs = {{0, 0, 0}}, .outputs = {}}))
      EXPECT_TRUE(write_file(folder_.path() / file.name, file.text));
  }

  EquivalenceProof prove() const {
    const SynthesisTarget& target = *find_target("ice40").value();
    const Result<Synthesised> made = synthesise(synthesis_of(netlist_), folder_.path(), target);
    EXPECT_TRUE(made) << to_string(made.error());
    const Result<EquivalenceProof> proof =
        prove_equivalence(netlist_, netlist_, folder_.path(), target);
    EXPECT_TRUE(proof) << to_string(proof.error());
    return proof.value();
  }

  /// Changes the first occurrence of `from` in the top module.
  void change(std::string_view from, std::string_view to) const {
    const std::filesystem::path path = folder_.path() / "rtl/top.sv";
    std::string text = read_file(path).value();
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_TRUE(write_file(path, text.replace(at, from.size(), to)));
  }

 private:
  testing::TempFolder folder_;
  Netlist netlist_;
};

TEST(Proof, EmittedFilesAndTheSynthesisedNetlistAreProvenAndChangesAreNoticed) {
  if (!has_tools()) GTEST_SKIP() << "yosys and ABC are not installed";
  const Emitted emitted;
  const EquivalenceProof same = emitted.prove();
  EXPECT_EQ(same.files.verdict, Verdict::Proven) << same.files.why;
  EXPECT_EQ(same.synthesised.verdict, Verdict::Proven) << same.synthesised.why;
  emitted.change(" - ", " + ");
  const EquivalenceProof changed = emitted.prove();
  EXPECT_EQ(changed.files.verdict, Verdict::Differs);
  EXPECT_EQ(changed.synthesised.verdict, Verdict::Proven) << changed.synthesised.why;
}

TEST(Proof, ARegisterThatIsMissingIsNoticed) {
  if (!has_tools()) GTEST_SKIP() << "yosys and ABC are not installed";
  const Emitted emitted;
  emitted.change("always_ff @(posedge clk) ", "always_comb ");
  EXPECT_EQ(emitted.prove().files.verdict, Verdict::Differs);
}

/// A clamp of two elements; later its bound is another than that of the circuit.
TEST(Proof, ALayerThatComputesSomethingElseIsNoticed) {
  IntegerGraph graph{.name = "net"};
  const IntegerType x{.shape = {2}, .frac = 0, .ranges = {{-8, 7}, {0, 5}}};
  graph.nodes.push_back({.name = "x", .op = "input", .type = x});
  graph.nodes.push_back({.name = "c",
                         .op = "clamp",
                         .inputs = {0},
                         .attrs = {{"low", {-3}}, {"high", {4}}},
                         .type = {.shape = {2}, .ranges = {{-3, 4}, {0, 4}}}});
  graph.inputs.push_back({.node = 0, .placeholder = "x", .format = {}});
  graph.outputs = {1};
  const Result<Netlist> netlist = to_netlist(graph, {.registers = false});
  ASSERT_TRUE(netlist) << to_string(netlist.error());
  const auto proofs = prove_layers(graph, netlist.value());
  ASSERT_TRUE(proofs) << to_string(proofs.error());
  ASSERT_EQ(proofs.value().size(), 1U);
  EXPECT_EQ(proofs.value()[0].method, LayerMethod::AllCodes);
  EXPECT_EQ(proofs.value()[0].codes, 16 + 6);
  graph.nodes[1].attrs["high"] = {3};
  EXPECT_FALSE(prove_layers(graph, netlist.value()));
}

/// max_window of two windows, one with padding, and argmax of five elements.
IntegerGraph with_greatest(const std::string& op) {
  IntegerGraph graph{.name = "net"};
  const std::vector<Interval> x = {{-8, 7}, {0, 5}, {-3, 9}, {-8, 7}, {2, 2}};
  graph.nodes.push_back({.name = "x", .op = "input", .type = {.shape = {5}, .ranges = x}});
  if (op == "argmax")
    graph.nodes.push_back(
        {.name = "g", .op = op, .inputs = {0}, .type = {.shape = {1}, .ranges = {{0, 4}}}});
  else
    graph.nodes.push_back({.name = "g",
                           .op = op,
                           .inputs = {0},
                           .attrs = {{"window", {0, 1, 2, 3, -1, 4}}},
                           .type = {.shape = {2}, .ranges = {{0, 9}, {2, 7}}}});
  graph.inputs.push_back({.node = 0, .placeholder = "x", .format = {}});
  graph.outputs = {1};
  return graph;
}

TEST(Proof, GreatestElementsAreProvenByWhatTheyAre) {
  if (!has_tools()) GTEST_SKIP() << "yosys and ABC are not installed";
  for (const char* op : {"max_window", "argmax"}) {
    const testing::TempFolder folder;
    const IntegerGraph graph = with_greatest(op);
    const Result<Netlist> made = to_netlist(graph, {.registers = false});
    ASSERT_TRUE(made) << to_string(made.error());
    Netlist netlist = made.value();
    const auto proofs = prove_layers(graph, netlist, folder.path());
    ASSERT_TRUE(proofs) << to_string(proofs.error());
    EXPECT_EQ(proofs.value()[0].method, LayerMethod::Property);
    EXPECT_EQ(prove_layers(graph, netlist).value()[0].method, LayerMethod::Simulated);
    // Of the last two elements that are compared, the wrong one.
    NetlistCell* last = nullptr;
    for (NetlistCell& cell : netlist.modules[0].cells)
      if (cell.kind == CellKind::Max || cell.kind == CellKind::Mux) last = &cell;
    ASSERT_NE(last, nullptr);
    if (last->kind == CellKind::Mux)
      std::swap(last->in[1], last->in[2]);
    else
      last->in[0] = last->in[1];
    const auto wrong = prove_layers(graph, netlist, folder.path());
    ASSERT_FALSE(wrong) << op;
    EXPECT_NE(to_string(wrong.error()).find("is not what its"), std::string::npos)
        << to_string(wrong.error());
  }
}

}  // namespace
}  // namespace chop::hardware

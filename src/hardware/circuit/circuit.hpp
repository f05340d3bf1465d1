// A network on its way to hardware: its integers, its netlist, its files.
#pragma once

#include "config/args.hpp"
#include "hardware/cost/estimate.hpp"
#include "hardware/lowering/to_integer.hpp"
#include "hardware/netlist/from_integer.hpp"
#include "hardware/netlist/pipeline.hpp"
#include "hardware/stream/bench.hpp"

namespace chop::hardware {

/// What people may choose of a circuit: netlist_fields(), pipeline, logic_depth, interface, reuse,
/// multiply, argmax.
std::vector<Field> circuit_fields();

struct CircuitOptions {
  NetlistOptions netlist = {};
  std::string reuse = {};  ///< as parse_reuse() reads it; empty: fully parallel
  bool multiply_in_luts = false;
  bool is_stream = false;
  bool is_argmax = false;
  std::string part = {};   ///< the FPGA, or its family
  std::int64_t parts = 1;  ///< how many there are
};
/// Of values that circuit_fields() allow. Two ways to place registers are an error.
Result<CircuitOptions> circuit_options(const Args& args, std::string part, std::int64_t parts);

struct Circuit {
  std::string name;  ///< of the network, as it was given
  std::string part;
  Graph graph = Graph();
  IntegerGraph definition = {};  ///< the network in whole numbers
  IntegerGraph integers = {};    ///< the same as it is built: some neurons are tables
  NetlistOptions options = {};
  Netlist netlist = {};                 ///< fully parallel; none where it is folded
  std::optional<Dataflow> stream = {};  ///< with valid and ready, folded or not
  bool is_argmax = false;               ///< its output is the number of the greatest result

  bool is_folded() const { return netlist.modules.empty(); }
  const std::string& top() const { return stream ? stream->name : netlist.top().name; }
};

/// An unknown part is an error, and a circuit that needs more LUTs by the estimate than all parts
/// have.
Result<Circuit> make_circuit(std::string name, Graph graph, const CircuitOptions& options);

/// How many neurons of a graph are tables, and the most input bits of one.
struct TableCounts {
  std::int64_t neurons = 0;
  int bits = 0;
};
TableCounts count_tables(const IntegerGraph& graph);

/// The text of every file of SystemVerilog, the top last.
std::vector<SourceFile> sources_of(const Circuit& circuit);
/// All files by their names below the folder: rtl/, sim/, test/, project/, integer.txt and
/// netlist.txt.
std::vector<SourceFile> files_of(const Circuit& circuit, const Vectors& vectors);

}  // namespace chop::hardware

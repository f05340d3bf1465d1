// A circuit as modules of cells: the one form between integer graphs and a hardware language.
//
// A cell makes one wire. A wire holds a whole number in a proven range, and is as wide as that
// range needs, with a sign bit only where a value can be negative; so arithmetic on wires is that
// of whole numbers, and nothing can wrap. Modules are in topological order, the top last; so are
// the cells of a module. Registers delay by one cycle of the one clock.
#pragma once

#include "hardware/integer/range.hpp"
#include "support/result.hpp"

namespace chop::hardware {

enum class CellKind : std::uint8_t {
  Input,     ///< of the module
  Constant,  ///< `amount`
  Add,       ///< a + b
  Sub,       ///< a - b
  Mul,       ///< a · b
  Scale,     ///< a · amount, left to the synthesiser
  Shift,     ///< a · 2^amount, rounded down where amount is negative
  Round,     ///< a / 2^amount to the nearest, ties to even
  Slice,     ///< a / 2^amount mod 2^width of its range: bits of a, without sign
  Concat,    ///< a · 2^amount + b, where b is an unsigned number of `amount` bits
  Less,      ///< a < b: 0 or 1
  Equal,     ///< a = b: 0 or 1
  Min,       ///< the lesser of a and b
  Max,       ///< the greater
  Mux,       ///< a ? b : c
  Table,     ///< entry a - first of the table `amount`
  Register,  ///< a, one cycle ago
  Result     ///< output `port` of the instance `amount`
};

using WireId = std::uint32_t;

struct NetlistCell {
  CellKind kind = CellKind::Constant;
  std::vector<WireId> in = {};
  std::int64_t amount = 0;
  std::int64_t port = 0;
  Interval range = {};
  std::string name = {};  ///< of the wire, in the module

  bool operator==(const NetlistCell&) const = default;
};

struct Rom {
  std::int64_t first = 0;  ///< the value of the input that selects entry 0
  std::vector<std::int64_t> entries = {};

  bool operator==(const Rom&) const = default;
};

struct Instance {
  std::string name;
  std::size_t module = 0;  ///< one that comes earlier in the netlist
  std::vector<WireId> in = {};

  bool operator==(const Instance&) const = default;
};

struct Output {
  std::string name;
  WireId wire = 0;

  bool operator==(const Output&) const = default;
};

struct Module {
  std::string name;
  std::vector<std::string> comments = {};
  std::vector<NetlistCell> cells = {};
  std::vector<Rom> tables = {};
  std::vector<Instance> instances = {};
  std::vector<Output> outputs = {};
  int latency = 0;  ///< cycles from its inputs to its outputs

  std::vector<WireId> inputs() const;
  const Interval& range(WireId wire) const { return cells[wire].range; }
  bool operator==(const Module&) const = default;
};

struct Netlist {
  std::vector<Module> modules = {};
  /// Registers take a value only in cycles where the port `en`, which modules with registers then
  /// have, is 1.
  bool enable = false;

  const Module& top() const { return modules.back(); }
  bool operator==(const Netlist&) const = default;
};

/// What is known of a kind of cell. Ranges and values are those of its inputs, in order.
struct CellDef {
  CellKind kind;
  std::string_view name;
  std::size_t inputs = 0;
  /// The range that follows; null: given with the cell.
  Interval (*range)(const NetlistCell&, std::span<const Interval> in) = nullptr;
  std::int64_t (*evaluate)(const NetlistCell&, std::span<const std::int64_t> in) = nullptr;
};
const CellDef& def_of(CellKind kind);
std::optional<CellKind> cell_kind_from_name(std::string_view name);

/// Structure, proven ranges, tables as long as their input can be, and registers: every path from
/// the inputs of a module to one of its cells goes through as many.
Status verify(const Netlist& netlist);

/// The text form; read_netlist() is its inverse.
std::string print(const Netlist& netlist);
Result<Netlist> read_netlist(std::string_view text);

/// What a circuit has, instances counted as often as they are used.
struct CellCounts {
  std::int64_t adders = 0;      ///< Add and Sub
  std::int64_t adder_bits = 0;  ///< of their results
  std::int64_t tables = 0;
  std::int64_t table_bits = 0;
  std::int64_t compares = 0;
  std::int64_t muxes = 0;
  std::int64_t registers = 0;  ///< bits
  int adder_depth = 0;         ///< most adders between an input or register and another
};
CellCounts count_cells(const Netlist& netlist);

/// Values of a netlist as the steady state of its registers has them: an output is that of the
/// same sample, `latency` cycles later.
class NetlistInterpreter {
 public:
  explicit NetlistInterpreter(const Netlist& netlist) : netlist_(netlist) {}
  std::vector<std::int64_t> run(std::span<const std::int64_t> inputs) const {
    return run(netlist_.modules.size() - 1, inputs);
  }

 private:
  std::vector<std::int64_t> run(std::size_t module, std::span<const std::int64_t> inputs) const;

  const Netlist& netlist_;
};

}  // namespace chop::hardware

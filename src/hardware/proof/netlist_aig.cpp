#include "hardware/proof/netlist_aig.hpp"

#include "hardware/netlist/builder.hpp"

namespace chop::hardware {
namespace {

std::vector<Literal> constant_bits(std::int64_t value, std::size_t count) {
  std::vector<Literal> bits;
  for (std::size_t i = 0; i < count; ++i)
    bits.push_back((value >> std::min<std::size_t>(i, 63) & 1) != 0 ? kTrue : kFalse);
  return bits;
}

class ModuleBits {
 public:
  ModuleBits(const Netlist& netlist, std::size_t module, AigBuilder& builder)
      : netlist_(netlist), module_(netlist.modules[module]), aig_(builder) {}

  std::vector<BitWord> run(std::vector<BitWord> inputs) {
    inputs_ = std::move(inputs);
    results_.resize(module_.instances.size());
    for (const NetlistCell& cell : module_.cells) {
      const auto width = static_cast<std::size_t>(width_of(cell.range));
      wires_.push_back({.bits = bits(cell, width), .is_signed = cell.range.is_signed()});
    }
    std::vector<BitWord> outputs;
    for (const Output& output : module_.outputs) outputs.push_back(wires_[output.wire]);
    return outputs;
  }

 private:
  const BitWord& in(const NetlistCell& cell, std::size_t i) const { return wires_[cell.in[i]]; }

  std::vector<Literal> sum(const std::vector<Literal>& a, const std::vector<Literal>& b,
                           Literal carry) {
    return sum_of(aig_, a, b, carry);
  }

  std::vector<Literal> product(const std::vector<Literal>& a, const std::vector<Literal>& b) {
    std::vector<Literal> total(a.size(), kFalse);
    for (std::size_t shift = 0; shift < b.size(); ++shift) {
      std::vector<Literal> row(shift, kFalse);
      for (std::size_t i = 0; row.size() < a.size(); ++i) row.push_back(aig_.both(a[i], b[shift]));
      total = sum(total, row, kFalse);
    }
    return total;
  }

  std::vector<Literal> chosen(Literal condition, const std::vector<Literal>& yes,
                              const std::vector<Literal>& no) {
    std::vector<Literal> bits;
    for (std::size_t i = 0; i < yes.size(); ++i)
      bits.push_back(aig_.choose(condition, yes[i], no[i]));
    return bits;
  }

  Literal less(const BitWord& a, const BitWord& b) { return less_than(aig_, a, b); }
  Literal equal(const BitWord& a, const BitWord& b) { return equal_to(aig_, a, b); }

  /// Down, and one more where the rest is above a half, or is one and the result is odd.
  std::vector<Literal> rounded(const BitWord& a, std::size_t amount, std::size_t width) {
    Literal rest = a.bit(amount);
    for (std::size_t i = 0; i + 1 < amount; ++i) rest = aig_.either(rest, a.bit(i));
    const Literal up = aig_.both(a.bit(amount - 1), rest);
    return sum(sized(a, width, amount), std::vector<Literal>(width, kFalse), up);
  }

  /// Entry `code - first`, chosen by the bits of the code from the highest down.
  std::vector<Literal> entry(const NetlistCell& cell, const BitWord& code, std::size_t bit,
                             std::int64_t pattern, std::size_t width) {
    const Rom& rom = module_.tables[static_cast<std::size_t>(cell.amount)];
    if (bit == 0) {
      const std::int64_t sign = code.is_signed && (pattern >> (code.size() - 1) & 1) != 0
                                    ? std::int64_t{1} << code.size()
                                    : 0;
      const std::int64_t at = pattern - sign - rom.first;
      const bool is_there = at >= 0 && at < std::ssize(rom.entries);
      return constant_bits(is_there ? rom.entries[static_cast<std::size_t>(at)] : 0, width);
    }
    const std::vector<Literal> low = entry(cell, code, bit - 1, pattern, width);
    const std::vector<Literal> high =
        entry(cell, code, bit - 1, pattern | std::int64_t{1} << (bit - 1), width);
    return chosen(code.bits[bit - 1], high, low);
  }

  const BitWord& result(const NetlistCell& cell) {
    std::vector<BitWord>& made = results_[static_cast<std::size_t>(cell.amount)];
    if (made.empty()) {
      const Instance& instance = module_.instances[static_cast<std::size_t>(cell.amount)];
      const Module& inner = netlist_.modules[instance.module];
      const std::vector<WireId> ports = inner.inputs();
      std::vector<BitWord> given;
      for (std::size_t i = 0; i < ports.size(); ++i) {
        const Interval& range = inner.range(ports[i]);
        given.push_back(
            {.bits = sized(wires_[instance.in[i]], static_cast<std::size_t>(width_of(range))),
             .is_signed = range.is_signed()});
      }
      made = ModuleBits(netlist_, instance.module, aig_).run(std::move(given));
    }
    return made[static_cast<std::size_t>(cell.port)];
  }

  std::vector<Literal> shifted_bits(const NetlistCell& cell, std::size_t width) const {
    if (cell.amount < 0) return sized(in(cell, 0), width, static_cast<std::size_t>(-cell.amount));
    std::vector<Literal> bits(std::min(width, static_cast<std::size_t>(cell.amount)), kFalse);
    for (std::size_t i = 0; bits.size() < width; ++i) bits.push_back(in(cell, 0).bit(i));
    return bits;
  }

  std::vector<Literal> bits(const NetlistCell& cell, std::size_t width) {
    const auto operand = [&](std::size_t i) { return sized(in(cell, i), width); };
    switch (cell.kind) {
      case CellKind::Input:
        return inputs_[next_input_++].bits;
      case CellKind::Constant:
        return constant_bits(cell.amount, width);
      case CellKind::Add:
        return sum(operand(0), operand(1), kFalse);
      case CellKind::Sub:
        return sum(operand(0), inverted(operand(1)), kTrue);
      case CellKind::Mul:
        return product(operand(0), operand(1));
      case CellKind::Scale:
        return product(operand(0), constant_bits(cell.amount, width));
      case CellKind::Shift:
        return shifted_bits(cell, width);
      case CellKind::Round:
        return rounded(in(cell, 0), static_cast<std::size_t>(cell.amount), width);
      case CellKind::Slice:
        return sized(in(cell, 0), width, static_cast<std::size_t>(cell.amount));
      case CellKind::Concat: {
        std::vector<Literal> made = sized(in(cell, 1), static_cast<std::size_t>(cell.amount));
        for (std::size_t i = 0; made.size() < width; ++i) made.push_back(in(cell, 0).bit(i));
        made.resize(width);
        return made;
      }
      case CellKind::Less:
        return {less(in(cell, 0), in(cell, 1))};
      case CellKind::Equal:
        return {equal(in(cell, 0), in(cell, 1))};
      case CellKind::Min:
        return chosen(less(in(cell, 0), in(cell, 1)), operand(0), operand(1));
      case CellKind::Max:
        return chosen(less(in(cell, 1), in(cell, 0)), operand(0), operand(1));
      case CellKind::Mux:
        return chosen(in(cell, 0).bits[0], operand(1), operand(2));
      case CellKind::Table:
        return entry(cell, in(cell, 0), in(cell, 0).size(), 0, width);
      case CellKind::Register:
        return operand(0);
      case CellKind::Result:
        return sized(result(cell), width);
    }
    return {};
  }

  const Netlist& netlist_;
  const Module& module_;
  AigBuilder& aig_;
  std::vector<BitWord> inputs_;
  std::size_t next_input_ = 0;
  std::vector<BitWord> wires_;
  std::vector<std::vector<BitWord>> results_;  ///< by instance
};

void name_bits(const std::string& port, const Interval& range, std::vector<std::string>& names) {
  const int width = width_of(range);
  for (int b = 0; b < width; ++b) names.push_back(width == 1 ? port : cat(port, "[", b, "]"));
}

}  // namespace

std::vector<std::string> input_bits(const Netlist& netlist) {
  std::vector<std::string> names;
  const Module& top = netlist.top();
  for (const WireId wire : top.inputs()) name_bits(top.cells[wire].name, top.range(wire), names);
  return names;
}

std::vector<std::string> output_bits(const Netlist& netlist) {
  std::vector<std::string> names;
  const Module& top = netlist.top();
  for (const Output& output : top.outputs) name_bits(output.name, top.range(output.wire), names);
  return names;
}

std::vector<Literal> inputs_in_range(const Netlist& netlist, AigBuilder& builder) {
  std::vector<Literal> made;
  const Module& top = netlist.top();
  std::size_t next = 0;
  for (const WireId wire : top.inputs()) {
    const Interval& range = top.range(wire);
    const int width = width_of(range);
    const std::int64_t half = std::int64_t{1} << (width - 1);
    const Interval codes =
        range.is_signed() ? Interval{-half, half - 1} : Interval{0, 2 * half - 1};
    std::vector<Literal> bits;
    for (int b = 0; b < width; ++b) bits.push_back(builder.input(next++));
    if (codes != range) {
      ModuleBuilder cells("in_range");
      cells.output("y", cells.clamp(cells.input("x", codes), range));
      Netlist clamp;
      clamp.modules.push_back(std::move(cells).finish(0));
      bits = build_aig(clamp, builder, bits);
      bits.resize(static_cast<std::size_t>(width));
    }
    made.insert(made.end(), bits.begin(), bits.end());
  }
  return made;
}

std::vector<BitWord> input_words(const Netlist& netlist, std::span<const Literal> inputs) {
  const Module& top = netlist.top();
  std::vector<BitWord> words;
  std::size_t next = 0;
  for (const WireId wire : top.inputs()) {
    BitWord word{.is_signed = top.range(wire).is_signed()};
    for (int b = 0; b < width_of(top.range(wire)); ++b) word.bits.push_back(inputs[next++]);
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<BitWord> build_words(const Netlist& netlist, AigBuilder& builder,
                                 std::vector<BitWord> inputs) {
  return ModuleBits(netlist, netlist.modules.size() - 1, builder).run(std::move(inputs));
}

std::vector<Literal> build_aig(const Netlist& netlist, AigBuilder& builder,
                               std::span<const Literal> inputs) {
  std::vector<Literal> outputs;
  for (const BitWord& word : build_words(netlist, builder, input_words(netlist, inputs)))
    outputs.insert(outputs.end(), word.bits.begin(), word.bits.end());
  return outputs;
}

}  // namespace chop::hardware

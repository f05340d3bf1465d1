#include "hardware/verilog/expressions.hpp"

namespace chop::hardware {
namespace {

/// A whole number modulo 2^bits.
std::string sized_literal(std::int64_t value, int bits) {
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  if (value < 0 && value >= -half) return literal(value, {-half, half - 1});
  const std::int64_t mask = 2 * half - 1;
  return literal(value & mask, {0, mask});
}

/// Prints one cell; all operands are brought to `width` bits first.
class Expression {
 public:
  Expression(const Module& module, const NetlistCell& cell)
      : module_(module), cell_(cell), width_(width_of(cell.range)) {}

  const NetlistCell& from(std::size_t i) const { return module_.cells[cell_.in[i]]; }
  const std::string& name(std::size_t i) const { return from(i).name; }
  const Interval& range(std::size_t i) const { return from(i).range; }
  int width(std::size_t i) const { return width_of(range(i)); }

  /// The operand with so many bits: extended by its sign where it has one, or its low bits.
  std::string sized(std::size_t i, int bits) const {
    assert(bits > 0 && "every wire has a bit");
    if (from(i).kind == CellKind::Constant) return sized_literal(from(i).amount, bits);
    const int own = width(i);
    if (own == bits) return name(i);
    if (own > bits) return bits == 1 ? cat(name(i), "[0]") : cat(name(i), "[", bits - 1, ":0]");
    return cat(bits, "'(", name(i), ")");
  }
  std::string operand(std::size_t i) const { return sized(i, width_); }
  /// As a signed number of a width that holds all operands, for comparisons.
  std::string compared(std::size_t i) const {
    return cat("$signed(", sized(i, common_width()), ")");
  }
  int common_width() const {
    int bits = 0;
    for (std::size_t i = 0; i < cell_.in.size(); ++i)
      bits = std::max(bits, width(i) + (range(i).is_signed() ? 0 : 1));
    return bits;
  }

  std::string binary(std::string_view sign) const {
    return cat(operand(0), " ", sign, " ", operand(1));
  }

  /// The operand as a signed number as wide as the result, so that a synthesiser sees how few bits
  /// it has.
  std::string factor(std::size_t i) const {
    const std::string plain =
        range(i).is_signed() ? name(i) : cat("$signed({1'b0, ", name(i), "})");
    const int own = width(i) + (range(i).is_signed() ? 0 : 1);
    if (own == width_) return plain;
    return own > width_ ? cat("$signed(", sized(i, width_), ")") : cat(width_, "'(", plain, ")");
  }

  std::string shift() const {
    const auto amount = static_cast<int>(cell_.amount);
    if (amount > 0) return cat(operand(0), " << ", amount);
    const int left = width(0) + amount;  // bits above those that are dropped
    if (left <= 0)
      return range(0).is_signed() ? cat("{", width_, "{", name(0), "[", width(0) - 1, "]}}")
                                  : literal(0, cell_.range);
    return bits(0, -amount, std::min(left, width_));
  }

  /// Bits [low + count - 1 : low] of an operand.
  std::string bits(std::size_t i, int low, int count) const {
    if (count == width(i)) return name(i);
    return count == 1 ? cat(name(i), "[", low, "]")
                      : cat(name(i), "[", low + count - 1, ":", low, "]");
  }

  /// Down, and one more where the rest is above a half, or is one and the result is odd.
  std::string round() const {
    const auto amount = static_cast<int>(cell_.amount);
    const int own = width(0);
    if (amount > own) return literal(0, cell_.range);
    const std::string half = bits(0, amount - 1, 1);
    const std::string odd = amount < own           ? bits(0, amount, 1)
                            : range(0).is_signed() ? bits(0, own - 1, 1)
                                                   : "1'b0";
    const std::string rest = amount > 1 ? cat(" | (|", bits(0, 0, amount - 1), ")") : "";
    const int left = own - amount;
    const std::string down = left > 0 ? extended(bits(0, amount, left), left)
                             : range(0).is_signed()
                                 ? cat("{", width_, "{", name(0), "[", own - 1, "]}}")
                                 : literal(0, cell_.range);
    const std::string up = cat(half, " & (", odd, rest, ")");
    return cat(down, " + ",
               width_ == 1 ? cat("(", up, ")") : cat("{", width_ - 1, "'d0, ", up, "}"));
  }

  /// A part of operand 0 that ends at its top bit, with as many bits as the result.
  std::string extended(const std::string& part, int count) const {
    if (count == width_) return part;
    if (count > width_)
      return cat(part.substr(0, part.find('[')), "[", cell_.amount + width_ - 1, ":", cell_.amount,
                 "]");
    return range(0).is_signed() ? cat(width_, "'($signed(", part, "))")
                                : cat(width_, "'(", part, ")");
  }

  std::string extreme(std::string_view sign) const {
    return cat("(", compared(0), " ", sign, " ", compared(1), ") ? ", operand(0), " : ",
               operand(1));
  }

  /// The bits of operand 1 below those of operand 0, which has none where it is always 0.
  std::string concat() const {
    const auto below = static_cast<int>(cell_.amount);
    if (width_ <= below) return operand(1);
    return cat("{", sized(0, width_ - below), ", ", sized(1, below), "}");
  }

  std::string run() const {
    switch (cell_.kind) {
      case CellKind::Add:
        return binary("+");
      case CellKind::Sub:
        return binary("-");
      case CellKind::Mul:
        return cat(factor(0), " * ", factor(1));
      case CellKind::Scale:
        return cat(operand(0), " * ", sized_literal(cell_.amount, width_));
      case CellKind::Shift:
        return shift();
      case CellKind::Round:
        return round();
      case CellKind::Slice:
        return bits(0, static_cast<int>(cell_.amount), width_);
      case CellKind::Concat:
        return concat();
      case CellKind::Less:
        return cat(compared(0), " < ", compared(1));
      case CellKind::Equal:
        return cat(compared(0), " == ", compared(1));
      case CellKind::Min:
        return extreme("<");
      case CellKind::Max:
        return extreme(">");
      case CellKind::Mux:
        return cat(name(0), " ? ", operand(1), " : ", operand(2));
      default:
        return "";
    }
  }

 private:
  const Module& module_;
  const NetlistCell& cell_;
  int width_;
};

}  // namespace

std::string declared_type(const Interval& range) {
  const int width = width_of(range);
  const std::string bits = width == 1 ? "" : cat(" [", width - 1, ":0]");
  return cat("logic", range.is_signed() ? " signed" : "", bits);
}

std::string literal(std::int64_t value, const Interval& range) {
  const int width = width_of(range);
  if (!range.is_signed()) return cat(width, "'d", value);
  const std::uint64_t magnitude =
      value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  return cat(value < 0 ? "-" : "", width, "'sd", magnitude);
}

std::string reference(const Module& module, WireId wire) {
  const NetlistCell& cell = module.cells[wire];
  return cell.kind == CellKind::Constant ? literal(cell.amount, cell.range) : cell.name;
}

std::string lowest_bit(const Module& module, WireId wire) {
  const NetlistCell& cell = module.cells[wire];
  if (cell.kind == CellKind::Constant) return (cell.amount & 1) != 0 ? "1'b1" : "1'b0";
  return width_of(cell.range) == 1 ? cell.name : cat(cell.name, "[0]");
}

std::optional<std::string> expression(const Module& module, const NetlistCell& cell) {
  std::string text = Expression(module, cell).run();
  if (text.empty()) return {};
  return text;
}

}  // namespace chop::hardware

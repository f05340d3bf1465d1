// Multiply and accumulate: weights from a ROM, so many products a cycle. Four registers one after
// the other (operands, products, sums, result) stand still together while a result waits.
#include "hardware/stream/unit_text.hpp"
#include "hardware/verilog/verilog.hpp"

namespace chop::hardware {
namespace {

/// Bits of a signed number.
int signed_width(const Interval& range) {
  return width_of(hull(range, {-1, 0}));
}

class MacText {
 public:
  MacText(const Dataflow& dataflow, const Unit& unit)
      : unit_(unit),
        mac_(std::get<MacUnit>(unit.what)),
        in_(dataflow.links[unit.in[0]]),
        out_(dataflow.links[unit.out[0]]) {
    Interval weights{-1, 0};
    for (const std::int64_t w : mac_.weight) weights = hull(weights, {w, w});
    weight_bits_ = width_of(weights);
    for (const std::size_t e : mac_.element) x_bits_ = std::max(x_bits_, signed_width(in_[e]));
    for (const Interval& range : out_) sum_bits_ = std::max(sum_bits_, signed_width(range));
    product_bits_ = weight_bits_ + x_bits_;
  }

  std::string run() {
    std::string text = unit_head(unit_, in_, out_);
    text += declarations();
    text += control();
    text += operands();
    text += products();
    text += sums();
    return text + "endmodule\n";
  }

 private:
  std::size_t lanes() const { return mac_.lanes(); }
  std::size_t rows() const { return mac_.row_lanes(); }
  int part_bits() const { return width_of({0, static_cast<std::int64_t>(mac_.column_parts) - 1}); }
  int group_bits() const { return width_of({0, static_cast<std::int64_t>(mac_.row_parts) - 1}); }
  std::string weight(std::size_t r, std::size_t k) const {
    const auto lane = static_cast<int>(r * lanes() + k);
    return part_of("weights", lane * weight_bits_, weight_bits_, word_bits());
  }
  int word_bits() const { return static_cast<int>(rows() * lanes()) * weight_bits_; }

  std::string declarations() const {
    std::string text =
        cat("  logic en, issue, last;\n  logic [", part_bits() - 1, ":0] part;\n  logic [",
            group_bits() - 1, ":0] group;\n  logic [", word_bits() - 1, ":0] weights;\n");
    for (int stage = 1; stage <= 2; ++stage)
      text += cat("  logic valid_", stage, ", first_", stage, ", last_", stage, ";\n  logic [",
                  group_bits() - 1, ":0] group_", stage, ";\n");
    for (std::size_t k = 0; k < lanes(); ++k)
      text += cat("  logic signed [", x_bits_ - 1, ":0] x_", k, ";\n");
    for (std::size_t r = 0; r < rows(); ++r) {
      text +=
          cat("  logic signed [", sum_bits_ - 1, ":0] sum_", r, ", added_", r, ", from_", r, ";\n");
      for (std::size_t k = 0; k < lanes(); ++k)
        text += cat("  (* use_dsp = \"", mac_.in_luts ? "no" : "yes", "\" *) logic signed [",
                    product_bits_ - 1, ":0] product_", r, "_", k, ";\n");
    }
    return text;
  }

  std::string control() const {
    return cat(
        "\n  assign en = !out_valid || out_ready;\n  assign issue = in_valid && en;\n",
        "  assign last = part == ", part_bits(), "'d", mac_.column_parts - 1,
        ";\n  assign in_ready = en && last && group == ", group_bits(), "'d", mac_.row_parts - 1,
        ";\n", "  always_ff @(posedge clk)\n    if (!rst_n) begin\n      part <= ", part_bits(),
        "'d0;\n      group <= ", group_bits(),
        "'d0;\n      valid_1 <= 1'b0;\n      valid_2 <= 1'b0;\n      out_valid <= 1'b0;\n",
        "    end else if (en) begin\n      valid_1 <= issue;\n      valid_2 <= valid_1;\n",
        "      out_valid <= valid_2 && last_2 && group_2 == ", group_bits(), "'d",
        mac_.row_parts - 1, ";\n      if (issue) begin\n        part <= last ? ", part_bits(),
        "'d0 : part + ", part_bits(), "'d1;\n        if (last) group <= in_ready ? ", group_bits(),
        "'d0 : group + ", group_bits(),
        "'d1;\n      end\n    end\n\n  always_ff @(posedge clk)\n    if (en) begin\n",
        "      first_1 <= part == ", part_bits(),
        "'d0;\n      last_1 <= last;\n      group_1 <= group;\n      first_2 <= first_1;\n",
        "      last_2 <= last_1;\n      group_2 <= group_1;\n    end\n\n");
  }

  /// The weights of a cycle, the first lane in the lowest bits.
  std::string rom_word(std::size_t group, std::size_t part) const {
    std::string bits;
    for (std::size_t r = 0; r < rows(); ++r)
      for (std::size_t k = 0; k < lanes(); ++k) {
        const std::size_t row = group * rows() + r;
        const std::size_t column = part * lanes() + k;
        const std::int64_t w =
            row < mac_.rows && column < mac_.columns ? mac_.weight[row * mac_.columns + column] : 0;
        for (int b = 0; b < weight_bits_; ++b) bits += (w >> b & 1) != 0 ? '1' : '0';
      }
    return cat(word_bits(), "'h", hexadecimal(bits));
  }

  std::string operands() const {
    std::string text = "  always_ff @(posedge clk)\n    if (en)\n      case ({group, part})\n";
    const int bits = group_bits() + part_bits();
    for (std::size_t group = 0; group < mac_.row_parts; ++group)
      for (std::size_t part = 0; part < mac_.column_parts; ++part)
        text += cat("        ", bits, "'d", (group << static_cast<unsigned>(part_bits())) + part,
                    ": weights <= ", rom_word(group, part), ";\n");
    text += cat("        default: weights <= ", word_bits(), "'d0;\n      endcase\n\n");
    text += "  always_ff @(posedge clk)\n    if (en)\n      case (part)\n";
    std::vector<int> first = {0};
    for (const Interval& range : in_) first.push_back(first.back() + width_of(range));
    for (std::size_t part = 0; part < mac_.column_parts; ++part) {
      const bool is_last = part + 1 == mac_.column_parts;
      text += is_last ? std::string("        default: begin\n")
                      : cat("        ", part_bits(), "'d", part, ": begin\n");
      for (std::size_t k = 0; k < lanes(); ++k) {
        const std::size_t column = part * lanes() + k;
        std::string x = cat(x_bits_, "'sd0");
        if (column < mac_.columns) {
          const std::size_t e = mac_.element[column];
          x = part_of("in_data", first[e], width_of(in_[e]), first.back());
          x = in_[e].is_signed() ? cat("$signed(", x, ")") : cat("$signed({1'b0, ", x, "})");
          const int own = width_of(in_[e]) + (in_[e].is_signed() ? 0 : 1);
          if (own != x_bits_) x = cat(x_bits_, "'(", x, ")");
        }
        text += cat("          x_", k, " <= ", x, ";\n");
      }
      text += "        end\n";
    }
    return text + "      endcase\n\n";
  }

  std::string products() const {
    std::string text = "  always_ff @(posedge clk)\n    if (en) begin\n";
    for (std::size_t r = 0; r < rows(); ++r)
      for (std::size_t k = 0; k < lanes(); ++k)
        text += cat("      product_", r, "_", k, " <= ", product_bits_, "'($signed(", weight(r, k),
                    ")) * ", product_bits_, "'(x_", k, ");\n");
    return text + "    end\n\n";
  }

  /// Of lanes [low, high), as a tree. Sums of more bits than the result needs may wrap: what is
  /// left in the end is the same.
  std::string tree(std::size_t r, std::size_t low, std::size_t high) const {
    if (high - low == 1) {
      const std::string product = cat("product_", r, "_", low);
      if (product_bits_ == sum_bits_) return product;
      if (product_bits_ > sum_bits_) return cat("$signed(", product, "[", sum_bits_ - 1, ":0])");
      return cat(sum_bits_, "'(", product, ")");
    }
    const std::size_t middle = low + (high - low + 1) / 2;
    return cat("(", tree(r, low, middle), " + ", tree(r, middle, high), ")");
  }

  std::string sums() const {
    std::string text;
    for (std::size_t r = 0; r < rows(); ++r) {
      text += cat("  always_comb\n    case (group_2)\n");
      for (std::size_t group = 0; group < mac_.row_parts; ++group) {
        const std::size_t row = group * rows() + r;
        const std::int64_t bias = row < mac_.rows ? mac_.bias[row] : 0;
        const bool is_last = group + 1 == mac_.row_parts;
        text += is_last ? std::string("      default: ")
                        : cat("      ", group_bits(), "'d", group, ": ");
        text +=
            cat("from_", r, " = first_2 ? ", plain_literal(bias, sum_bits_), " : sum_", r, ";\n");
      }
      text +=
          cat("    endcase\n  assign added_", r, " = from_", r, " + ", tree(r, 0, lanes()), ";\n");
      text += cat("  always_ff @(posedge clk) if (en && valid_2) sum_", r, " <= added_", r, ";\n");
    }
    text += "  always_ff @(posedge clk)\n    if (en && valid_2 && last_2) begin\n";
    int low = 0;
    for (std::size_t row = 0; row < mac_.rows; ++row) {
      const int width = width_of(out_[row]);
      const std::string when =
          mac_.row_parts == 1 ? "" : cat("if (group_2 == ", group_bits(), "'d", row / rows(), ") ");
      text += cat("      ", when, part_of("out_data", low, width, width_of(out_)),
                  " <= ", part_of(cat("added_", row % rows()), 0, width, sum_bits_), ";\n");
      low += width;
    }
    return text + "    end\n";
  }

  const Unit& unit_;
  const MacUnit& mac_;
  const Word& in_;
  const Word& out_;
  int weight_bits_ = 1;
  int x_bits_ = 1;
  int product_bits_ = 2;
  int sum_bits_ = 1;
};

}  // namespace

std::string mac_text(const Dataflow& dataflow, const Unit& unit) {
  return MacText(dataflow, unit).run();
}

}  // namespace chop::hardware

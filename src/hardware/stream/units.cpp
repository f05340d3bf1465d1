#include "hardware/stream/units.hpp"

#include "hardware/stream/unit_text.hpp"
#include "hardware/verilog/expressions.hpp"
#include "support/text.hpp"

namespace chop::hardware {
namespace {

std::string bits(int width) {
  return width == 1 ? "logic" : cat("logic [", width - 1, ":0]");
}

std::string fork_text(const Dataflow& dataflow, const Unit& unit) {
  const int width = width_of(dataflow.links[unit.in[0]]);
  std::vector<std::string> ports = {"  input  logic clk", "  input  logic rst_n",
                                    cat("  input  ", bits(width), " in_data"),
                                    "  input  logic in_valid", "  output logic in_ready"};
  std::string body;
  std::vector<std::string> done;
  for (std::size_t i = 0; i < unit.out.size(); ++i) {
    ports.push_back(cat("  output ", bits(width), " out_data_", i));
    ports.push_back(cat("  output logic out_valid_", i));
    ports.push_back(cat("  input  logic out_ready_", i));
    body +=
        cat("  logic taken_", i, ";  // branch ", i, " has this word already\n",
            "  assign out_data_", i, " = in_data;\n  assign out_valid_", i,
            " = in_valid && !taken_", i, ";\n  always_ff @(posedge clk)\n    if (!rst_n) taken_", i,
            " <= 1'b0;\n    else if (in_valid) taken_", i, " <= !in_ready && (taken_", i,
            " || out_ready_", i, ");\n");
    done.push_back(cat("(taken_", i, " || out_ready_", i, ")"));
  }
  return cat("// every word to ", unit.out.size(), " branches, to each when it is ready\nmodule ",
             unit.name, " (\n", join(ports, ",\n"), "\n);\n", body,
             "  assign in_ready = ", join(done, " && "), ";\nendmodule\n");
}

std::string join_text(const Dataflow& dataflow, const Unit& unit) {
  std::vector<std::string> ports = {"  input  logic clk", "  input  logic rst_n"};
  std::vector<std::string> data;
  std::vector<std::string> valid;
  std::string ready;
  for (std::size_t i = 0; i < unit.in.size(); ++i) {
    ports.push_back(cat("  input  ", bits(width_of(dataflow.links[unit.in[i]])), " in_data_", i));
    ports.push_back(cat("  input  logic in_valid_", i));
    ports.push_back(cat("  output logic in_ready_", i));
    data.insert(data.begin(), cat("in_data_", i));
    valid.push_back(cat("in_valid_", i));
    ready += cat("  assign in_ready_", i, " = out_valid && out_ready;\n");
  }
  ports.push_back(cat("  output ", bits(width_of(dataflow.links[unit.out[0]])), " out_data"));
  ports.emplace_back("  output logic out_valid");
  ports.emplace_back("  input  logic out_ready");
  return cat(
      "// a word of each branch as one, when all have one\n/* verilator lint_off UNUSED "
      "*/\nmodule ",
      unit.name, " (\n", join(ports, ",\n"), "\n);\n  assign out_data = {", join(data, ", "),
      "};\n  assign out_valid = ", join(valid, " && "), ";\n", ready, "endmodule\n");
}

std::string fifo_text(const Dataflow& dataflow, const Unit& unit) {
  const Word& word = dataflow.links[unit.in[0]];
  const std::int64_t depth = std::get<FifoUnit>(unit.what).depth;
  const int at = width_of({0, depth - 1});
  const int count = width_of({0, depth});
  return cat(
      unit_head(unit, word, word), "  logic [", width_of(word) - 1, ":0] words [0:", depth - 1,
      "];\n  logic [", at - 1, ":0] head, tail;\n  logic [", count - 1,
      ":0] count;\n  logic push, pop;\n\n  assign in_ready = count != ", count, "'d", depth,
      ";\n  assign out_valid = count != ", count,
      "'d0;\n  assign out_data = words[head];\n  assign push = in_valid && in_ready;\n"
      "  assign pop = out_valid && out_ready;\n  always_ff @(posedge clk) if (push) "
      "words[tail] <= in_data;\n  always_ff @(posedge clk)\n    if (!rst_n) begin\n      head "
      "<= ",
      at, "'d0;\n      tail <= ", at, "'d0;\n      count <= ", count,
      "'d0;\n    end else begin\n      if (push) tail <= tail == ", at, "'d", depth - 1, " ? ", at,
      "'d0 : tail + ", at, "'d1;\n      if (pop) head <= head == ", at, "'d", depth - 1, " ? ", at,
      "'d0 : head + ", at, "'d1;\n      if (push && !pop) count <= count + ", count,
      "'d1;\n      if (pop && !push) count <= count - ", count, "'d1;\n    end\nendmodule\n");
}

/// Registers of a core move together: when the last word is taken, or there is none.
std::string core_text(const Dataflow& dataflow, const Unit& unit) {
  const Module& core = dataflow.cores.modules[std::get<CoreUnit>(unit.what).module];
  const Word& in = dataflow.links[unit.in[0]];
  const Word& out = dataflow.links[unit.out[0]];
  std::string text = unit_head(unit, in, out);
  const int latency = core.latency;
  if (latency == 0) {
    text += "  assign in_ready = out_ready;\n  assign out_valid = in_valid;\n";
  } else {
    text += cat(
        "  logic en;\n  ", bits(latency), " valid;  // of every stage\n",
        "  assign en = out_ready || !out_valid;\n  assign in_ready = en;\n  assign out_valid = ",
        part_of("valid", latency - 1, 1, latency), ";\n  always_ff @(posedge clk)\n",
        "    if (!rst_n) valid <= ", latency, "'d0;\n    else if (en) valid <= ",
        latency == 1 ? std::string("in_valid") : cat("{valid[", latency - 2, ":0], in_valid}"),
        ";\n");
  }
  std::vector<std::string> lines;
  if (latency > 0) lines = {"    .clk(clk)", "    .en(en)"};
  int low = 0;
  for (const WireId wire : core.inputs()) {
    const int width = width_of(core.range(wire));
    lines.push_back(cat("    .", core.cells[wire].name, "(",
                        part_of("in_data", low, width, width_of(in)), ")"));
    low += width;
  }
  low = 0;
  for (const Output& output : core.outputs) {
    const int width = width_of(core.range(output.wire));
    lines.push_back(
        cat("    .", output.name, "(", part_of("out_data", low, width, width_of(out)), ")"));
    low += width;
  }
  return cat(text, "  ", core.name, " core (\n", join(lines, ",\n"), "\n  );\nendmodule\n");
}

std::string unit_text(const Dataflow& dataflow, const Unit& unit) {
  struct Printer {
    const Dataflow& dataflow;
    const Unit& unit;
    std::string operator()(const CoreUnit& /*core*/) const { return core_text(dataflow, unit); }
    std::string operator()(const WindowUnit& /*window*/) const {
      return window_text(dataflow, unit);
    }
    std::string operator()(const MacUnit& /*mac*/) const { return mac_text(dataflow, unit); }
    std::string operator()(const ForkUnit& /*fork*/) const { return fork_text(dataflow, unit); }
    std::string operator()(const JoinUnit& /*join*/) const { return join_text(dataflow, unit); }
    std::string operator()(const FifoUnit& /*fifo*/) const { return fifo_text(dataflow, unit); }
  };
  return std::visit(Printer{dataflow, unit}, unit.what);
}

/// The ports of one side of a unit, numbered where there are several.
void connect(std::span<const std::size_t> links, std::string_view side, bool numbered,
             std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < links.size(); ++i)
    for (const char* part : {"data", "valid", "ready"})
      lines.push_back(cat("    .", side, "_", part, numbered ? cat("_", i) : "", "(", part, "_",
                          links[i], ")"));
}

std::string top_text(const Dataflow& dataflow) {
  const Word& in = dataflow.links[dataflow.input];
  const Word& out = dataflow.links[dataflow.output];
  std::string text = cat("// a sample is ", dataflow.given.size(), " words of ", in.size(),
                         " numbers in, ", dataflow.made.size(), " words of ", out.size(),
                         " out; the first number has the lowest bits\n// a sample every ",
                         dataflow.interval, " cycles\n/* verilator lint_off UNUSED */\nmodule ",
                         dataflow.name, " (\n  input  logic aclk,\n  input  logic aresetn,\n",
                         "  input  ", bits(port_width(in)), " s_axis_tdata,\n",
                         "  input  logic s_axis_tvalid,\n  output logic s_axis_tready,\n  output ",
                         bits(port_width(out)), " m_axis_tdata,\n  output logic m_axis_tvalid,\n",
                         "  input  logic m_axis_tready\n);\n");
  for (std::size_t i = 0; i < dataflow.links.size(); ++i)
    text += cat("  ", bits(width_of(dataflow.links[i])), " data_", i, ";\n  logic valid_", i,
                ", ready_", i, ";\n");
  const auto input = dataflow.input;
  const auto output = dataflow.output;
  text += cat("\n  assign data_", input, " = ",
              part_of("s_axis_tdata", 0, width_of(in), port_width(in)), ";\n  assign valid_", input,
              " = s_axis_tvalid;\n  assign s_axis_tready = ready_", input,
              ";\n  assign m_axis_tdata = ");
  text += port_width(out) == width_of(out) ? cat("data_", output)
                                           : cat(port_width(out), "'(data_", output, ")");
  text += cat(";\n  assign m_axis_tvalid = valid_", output, ";\n  assign ready_", output,
              " = m_axis_tready;\n\n");
  for (const Unit& unit : dataflow.units) {
    std::vector<std::string> lines = {"    .clk(aclk)", "    .rst_n(aresetn)"};
    connect(unit.in, "in", std::holds_alternative<JoinUnit>(unit.what), lines);
    connect(unit.out, "out", std::holds_alternative<ForkUnit>(unit.what), lines);
    text += cat("  ", unit.name, " u_", unit.name, " (\n", join(lines, ",\n"), "\n  );\n");
  }
  return text + "endmodule\n";
}

}  // namespace

int port_width(const Word& word) {
  return (width_of(word) + 7) / 8 * 8;
}

std::string unit_head(const Unit& unit, const Word& in, const Word& out) {
  return cat("// ", unit.comment.empty() ? unit.name : unit.comment,
             "\n/* verilator lint_off UNUSED */\nmodule ", unit.name,
             " (\n  input  logic clk,\n  input  logic rst_n,\n  input  ", bits(width_of(in)),
             " in_data,\n  input  logic in_valid,\n  output logic in_ready,\n  output ",
             bits(width_of(out)),
             " out_data,\n  output logic out_valid,\n  input  logic out_ready\n);\n");
}

std::string part_of(const std::string& name, int low, int width, int all) {
  if (low == 0 && width == all) return name;
  return width == 1 ? cat(name, "[", low, "]") : cat(name, "[", low + width - 1, ":", low, "]");
}

std::string plain_literal(std::int64_t value, int bits) {
  if (bits > 62) {
    std::string all;
    for (int b = 0; b < bits; ++b) all += (value >> std::min(b, 63) & 1) != 0 ? '1' : '0';
    return cat(bits, "'h", hexadecimal(std::move(all)));
  }
  return cat(bits, "'d", value & ((std::int64_t{1} << bits) - 1));
}

std::vector<SourceFile> to_verilog(const Dataflow& dataflow) {
  std::vector<SourceFile> files = to_verilog(dataflow.cores);
  for (const Unit& unit : dataflow.units)
    files.push_back({cat(unit.name, ".sv"), unit_text(dataflow, unit)});
  files.push_back({cat(dataflow.name, ".sv"), top_text(dataflow)});
  return files;
}

PlacingJob placing_of(const Dataflow& dataflow, SynthesisJob synthesis) {
  return {.synthesis = std::move(synthesis),
          .clock = "aclk",
          .ports = {{"aresetn", 1, false},
                    {"s_axis_tdata", port_width(dataflow.links[dataflow.input]), false},
                    {"s_axis_tvalid", 1, false},
                    {"m_axis_tready", 1, false},
                    {"s_axis_tready", 1, true},
                    {"m_axis_tdata", port_width(dataflow.links[dataflow.output]), true},
                    {"m_axis_tvalid", 1, true}}};
}

}  // namespace chop::hardware

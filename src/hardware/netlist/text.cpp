// The text form of netlists, a wire a line:
//
//   module fc latency 1
//     input x_0 [-8, 7]
//     constant c_0 [3, 3] 3
//     add s_0 [-5, 10] x_0 c_0
//     instance k_0 kernel x_0 x_1
//     result k_0_y_0 [-5, 10] k_0 0
//     output y_0 s_0
//   end
#include "support/text.hpp"
#include "hardware/netlist/netlist.hpp"

namespace chop::hardware {
namespace {

bool has_amount(CellKind kind) {
  return kind == CellKind::Constant || kind == CellKind::Scale || kind == CellKind::Shift ||
         kind == CellKind::Round || kind == CellKind::Slice || kind == CellKind::Concat ||
         kind == CellKind::Table;
}

std::string line_of(const Module& module, const NetlistCell& cell) {
  std::string line = cat("  ", def_of(cell.kind).name, " ", cell.name, " ", to_text(cell.range));
  for (const WireId wire : cell.in) line += cat(" ", module.cells[wire].name);
  if (cell.kind == CellKind::Result)
    return line + cat(" ", module.instances[static_cast<std::size_t>(cell.amount)].name, " ",
                      cell.port, "\n");
  return line + (has_amount(cell.kind) ? cat(" ", cell.amount, "\n") : "\n");
}

std::string instance_line(const Netlist& netlist, const Module& module, const Instance& instance) {
  std::string line = cat("  instance ", instance.name, " ", netlist.modules[instance.module].name);
  for (const WireId wire : instance.in) line += cat(" ", module.cells[wire].name);
  return line + "\n";
}

std::string print(const Netlist& netlist, const Module& module) {
  std::string text;
  for (const std::string& comment : module.comments) text += cat("# ", comment, "\n");
  text += cat("module ", module.name, " latency ", module.latency, "\n");
  for (const Rom& rom : module.tables) {
    text += cat("  rom ", rom.first);
    for (const std::int64_t entry : rom.entries) text += cat(" ", entry);
    text += "\n";
  }
  std::size_t shown = 0;
  for (const NetlistCell& cell : module.cells) {
    // An instance stands before the first of its results.
    while (cell.kind == CellKind::Result && static_cast<std::size_t>(cell.amount) >= shown)
      text += instance_line(netlist, module, module.instances[shown++]);
    text += line_of(module, cell);
  }
  for (const Output& output : module.outputs)
    text += cat("  output ", output.name, " ", module.cells[output.wire].name, "\n");
  return text + "end\n";
}

/// Reads what print() writes; everything it does not expect is an error with the line.
class NetlistReader {
 public:
  Result<Netlist> run(std::string_view text) {
    int number = 0;
    for (const std::string& raw : split(text, '\n')) {
      ++number;
      const std::string_view line = trim(raw);
      if (line.empty()) continue;
      if (Status status = read(line); !status)
        return std::move(status).error().note(cat("line ", number, ": ", line));
    }
    if (open_) return Error{.what = "the last module has no end"};
    CH_CHECK(verify(netlist_));
    return std::move(netlist_);
  }

 private:
  Status read(std::string_view line) {
    if (line[0] == '#') {
      comments_.emplace_back(trim(line.substr(1)));
      return {};
    }
    words_.clear();
    for (std::string& word : split(line, ' '))
      if (!word.empty()) words_.push_back(std::move(word));
    next_ = 1;
    const std::string& what = words_[0];
    if (what == "module") return begin_module();
    if (what == "enable" && netlist_.modules.empty() && words_.size() == 1) {
      netlist_.enable = true;
      return {};
    }
    if (!open_) return Error{.what = cat("'", what, "' outside of a module")};
    Module& module = netlist_.modules.back();
    if (what == "end") {
      open_ = false;
      return {};
    }
    if (what == "rom") return read_rom(module);
    if (what == "instance") return read_instance(module);
    if (what == "output") return read_output(module);
    const std::optional<CellKind> kind = cell_kind_from_name(what);
    if (!kind) return Error{.what = cat("no cell is called '", what, "'")};
    return read_cell(module, *kind);
  }

  Status begin_module() {
    if (open_) return Error{.what = "a module within a module"};
    Module module{.comments = std::move(comments_)};
    comments_.clear();
    CH_TRY(module.name, word());
    CH_TRY(const std::string latency, word());
    if (latency != "latency") return Error{.what = "expected: module NAME latency N"};
    CH_TRY(const std::int64_t cycles, number());
    module.latency = static_cast<int>(std::clamp<std::int64_t>(cycles, 0, 1 << 20));
    netlist_.modules.push_back(std::move(module));
    wires_.clear();
    open_ = true;
    return {};
  }

  Status read_rom(Module& module) {
    Rom rom;
    CH_TRY(rom.first, number());
    while (next_ < words_.size()) {
      CH_TRY(const std::int64_t entry, number());
      rom.entries.push_back(entry);
    }
    if (rom.entries.empty()) return Error{.what = "a table without entries"};
    module.tables.push_back(std::move(rom));
    return {};
  }

  Status read_instance(Module& module) {
    Instance instance;
    CH_TRY(instance.name, word());
    CH_TRY(const std::string of, word());
    while (instance.module < netlist_.modules.size() - 1 &&
           netlist_.modules[instance.module].name != of)
      ++instance.module;
    if (instance.module == netlist_.modules.size() - 1)
      return Error{.what = cat("no module '", of, "' before this one")};
    while (next_ < words_.size()) {
      CH_TRY(const WireId in, wire());
      instance.in.push_back(in);
    }
    module.instances.push_back(std::move(instance));
    return {};
  }

  Status read_output(Module& module) {
    Output output;
    CH_TRY(output.name, word());
    CH_TRY(output.wire, wire());
    module.outputs.push_back(std::move(output));
    return at_end();
  }

  Status read_cell(Module& module, CellKind kind) {
    NetlistCell cell{.kind = kind};
    CH_TRY(cell.name, word());
    CH_TRY(cell.range, range());
    for (std::size_t i = 0; i < def_of(kind).inputs; ++i) {
      CH_TRY(const WireId in, wire());
      cell.in.push_back(in);
    }
    if (kind == CellKind::Result) {
      CH_TRY(const std::string name, word());
      while (cell.amount < std::ssize(module.instances) &&
             module.instances[static_cast<std::size_t>(cell.amount)].name != name)
        ++cell.amount;
      CH_TRY(cell.port, number());
    }
    if (has_amount(kind)) {
      CH_TRY(cell.amount, number());
    }
    if (!wires_.emplace(cell.name, static_cast<WireId>(module.cells.size())).second)
      return Error{.what = cat("a second wire '", cell.name, "'")};
    module.cells.push_back(std::move(cell));
    return at_end();
  }

  Result<std::string> word() {
    if (next_ >= words_.size()) return Error{.what = "the line ends too early"};
    return words_[next_++];
  }

  Result<std::int64_t> number() {
    CH_TRY(const std::string text, word());
    if (const auto value = parse_int(text)) return *value;
    return Error{.what = cat("'", text, "' is not a whole number")};
  }

  Result<WireId> wire() {
    CH_TRY(const std::string name, word());
    const auto found = wires_.find(name);
    if (found == wires_.end()) return Error{.what = cat("no wire '", name, "' before this line")};
    return found->second;
  }

  /// "[-8," and "7]"
  Result<Interval> range() {
    CH_TRY(const std::string low, word());
    CH_TRY(const std::string high, word());
    if (low.size() > 2 && low.front() == '[' && low.back() == ',' && high.back() == ']') {
      const auto first = parse_int(std::string_view(low).substr(1, low.size() - 2));
      const auto last = parse_int(std::string_view(high).substr(0, high.size() - 1));
      if (first && last && *first <= *last && Interval{*first, *last}.is_bounded())
        return Interval{*first, *last};
    }
    return Error{.what = cat("'", low, " ", high, "' is no range")};
  }

  Status at_end() const {
    if (next_ == words_.size()) return {};
    return Error{.what = cat("'", words_[next_], "' is one word too many")};
  }

  Netlist netlist_;
  bool open_ = false;
  std::vector<std::string> comments_;
  std::map<std::string, WireId> wires_;  ///< of the open module
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

}  // namespace

std::string print(const Netlist& netlist) {
  std::string text = netlist.enable ? "enable\n" : "";
  for (const Module& module : netlist.modules) text += print(netlist, module);
  return text;
}

Result<Netlist> read_netlist(std::string_view text) {
  return NetlistReader().run(text);
}

}  // namespace chop::hardware

// The page that people read, and the lines on the screen.
#include "cli/circuits/certificate.hpp"
#include "report/table.hpp"
#include "support/json.hpp"
#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::cli {
std::string text_of(const Tree& tree) {
  const std::string* text = tree.as_text();
  return text != nullptr ? *text : "";
}

std::string count_of(const Tree& tree) {
  return with_commas(static_cast<std::int64_t>(tree.number()));
}

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kAgreements = {{
    {"float", "Float run = integers"},
    {"verilator", "Verilator = integers"},
    {"verilator_stalled", "Verilator with random pauses = integers"},
    {"icarus", "Icarus = integers"},
}};

Table agreement_table(const Tree& certificate) {
  Table table{.columns = {{"Compared", Align::Left},
                          {"Samples", Align::Right},
                          {"Values", Align::Right},
                          {"Differing", Align::Right}}};
  for (const auto& [key, words] : kAgreements)
    if (const Tree* made = certificate["agreement"].find(key))
      table.rows.push_back({words, count_of((*made)["samples"]), count_of((*made)["values"]),
                            count_of((*made)["differing"])});
  return table;
}

/// How a layer is known to compute what the integers say, in words.
std::string method_words(const Tree& layer) {
  const std::string method = text_of(layer["method"]);
  if (method == "coefficients") return "proven: identity of integer coefficients";
  if (method == "codes") return cat("proven: all ", count_of(layer["codes"]), " codes were run");
  if (method == "property") return "proven: what it says of inputs and results holds (ABC)";
  if (method == "wires") return "proven: it only moves codes";
  if (method == "unused") return "no output depends on it";
  return "simulated only";
}

Table layer_table(const Tree& certificate) {
  Table table{.columns = {{"Layer", Align::Left},
                          {"Op", Align::Left},
                          {"Bits", Align::Right},
                          {"Integers = circuit", Align::Left}}};
  if (const Tree::List* layers = certificate["layers"].as_list())
    for (const Tree& layer : *layers)
      table.rows.push_back({text_of(layer["name"]), text_of(layer["op"]), count_of(layer["bits"]),
                            method_words(layer)});
  return table;
}

std::string verdict_words(const Tree& made, std::string_view method) {
  const std::string verdict = text_of(made["verdict"]);
  if (verdict == "proven") return cat("**proven** for all inputs (", method, ")");
  if (verdict == "differs") return "**not so**: ABC found an input for which they differ";
  return cat("simulated only: ", text_of(made["why"]));
}

std::string table_text(const Table& table) {
  return render(table, {.style = TableStyle::Markdown});
}

std::string entries_text(const Tree& tree) {
  std::string text;
  if (const Tree::Table* entries = tree.as_table())
    for (const auto& [key, value] : *entries)
      text += cat("* ", key, ": ", value.is_text() ? *value.as_text() : to_text(value), "\n");
  return text;
}

std::size_t layers_by(const Tree& certificate, bool proven) {
  std::size_t count = 0;
  if (const Tree::List* layers = certificate["layers"].as_list())
    for (const Tree& layer : *layers)
      count += (text_of(layer["method"]) != "simulated") == proven ? 1 : 0;
  return count;
}

}  // namespace

std::string certificate_page(const Tree& c) {
  std::string text =
      cat("# Certificate of a circuit\n\n", text_of(c["model"]["name"]), ", on ",
          text_of(c["data"]["name"]), *c["data"]["synthetic"].as_flag() ? " (synthetic data)" : "",
          ", ", count_of(c["data"]["test_rows"]), " test rows. Made by ch ",
          text_of(c["ch"]["version"]), ", commit ", text_of(c["ch"]["commit"]),
          ".\n\n## What was compared\n\n", table_text(agreement_table(c)));
  text += cat(
      "\nWhere the float run differs, float32 is not exact, and the integers are the definition.\n"
      "\n## What is proven\n\n* No wire wraps: **proven** (a range for every wire)\n"
      "* The layers compute the integers: ",
      layers_by(c, true), " proven, ", layers_by(c, false),
      " simulated only; the table says how\n* The emitted files are these layers: ",
      verdict_words(c["proofs"]["files"],
                    "and-inverter graphs, ABC; registers counted on every path"),
      "\n* The synthesised netlist is the emitted files: ",
      verdict_words(c["proofs"]["synthesised"],
                    "the family's simulation models read back, ABC; registers likewise"),
      "\n\n", table_text(layer_table(c)));
  text +=
      cat("\nNot proven: the reading of SystemVerilog by Yosys, which both graphs share, and what "
          "a vendor's\ntools make of the files. Verilator and Icarus read them by themselves.\n"
          "\n## Formats\n\n",
          entries_text(c["model"]["formats"]));
  if (c.contains("synthesis")) text += cat("\n## Synthesis\n\n", entries_text(c["synthesis"]));
  text += cat("\n## Tools\n\n", entries_text(c["tools"]), "\n## SHA-256 of the files\n\n",
              entries_text(c["files"]), "* test rows: ", text_of(c["data"]["sha256"]),
              "\n\n## To repeat it\n\n");
  if (const Tree::List* commands = c["commands"].as_list())
    for (const Tree& command : *commands) text += cat("    ", text_of(command), "\n");
  return text;
}

std::string certificate_summary(const Tree& c) {
  const auto plain = [](std::string words) {
    std::string text;
    for (const char letter : words)
      if (letter != '*') text += letter;
    return text;
  };
  return cat(
      render(agreement_table(c), {.style = TableStyle::Simple}),
      "Layers = integers: ", layers_by(c, true), " proven, ", layers_by(c, false),
      " simulated only\n", "Files = layers: ", plain(verdict_words(c["proofs"]["files"], "ABC")),
      "\nSynthesised netlist = files: ", plain(verdict_words(c["proofs"]["synthesised"], "ABC")),
      "\n");
}

Status write_certificate(const Tree& certificate, const std::filesystem::path& folder) {
  CH_CHECK(write_file(folder / "certificate.md", certificate_page(certificate)));
  return write_file(folder / "certificate.json", to_json(certificate, 2) + "\n");
}

}  // namespace chop::cli

#include "cli/views/weights_view.hpp"

#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

struct Totals {
  std::int64_t elements = 0;
  std::uint64_t bytes = 0;
};

Totals totals_of(const WeightsFile& file) {
  Totals totals;
  for (const WeightsEntry& entry : file.tensors) {
    totals.elements += entry.elements();
    totals.bytes += entry.bytes();
  }
  return totals;
}

}  // namespace

Table tensors_table(const WeightsFile& file, std::size_t rows) {
  Table table{.columns = {{.header = "Tensor", .align = Align::Left, .key = "name"},
                          {.header = "Shape", .align = Align::Left, .key = "shape"},
                          {.header = "Dtype", .align = Align::Left, .key = "dtype"},
                          {.header = "Elements", .align = Align::Right, .key = "elements"},
                          {.header = "Bytes", .align = Align::Right, .key = "bytes"}}};
  for (const WeightsEntry& entry : file.tensors) {
    if (table.rows.size() == rows) break;
    const auto bytes = static_cast<std::int64_t>(entry.bytes());
    table.rows.push_back(
        {shown_in_message(entry.name), to_string(entry.shape), name_of(entry.dtype),
         Cell(entry.elements(), with_commas(entry.elements())), Cell(bytes, with_commas(bytes))});
  }
  return table;
}

std::string weights_header(const WeightsFile& file, const std::string& name,
                           std::uint64_t file_bytes) {
  const Totals totals = totals_of(file);
  std::string text =
      cat(name, ": ", describe(file.type), " of ", human_bytes(file_bytes), "\n",
          counted(static_cast<std::int64_t>(file.tensors.size()), "tensor"), ", ",
          counted(totals.elements, "element"), ", ", human_bytes(totals.bytes), "\n");
  for (const std::string& note : file.notes) text += cat("note: ", note, "\n");
  return text + "\n";
}

std::string metadata_text(const WeightsFile& file) {
  if (file.metadata.empty()) return {};
  std::string text = "\nMetadata\n";
  for (const auto& [key, value] : file.metadata)
    text += cat("  ", shown_in_message(key), ": ", shown_in_message(value), "\n");
  return text;
}

Tree tree_of(const WeightsFile& file) {
  const Totals totals = totals_of(file);
  Tree result;
  result["type"] = name_of(file.type);
  result["elements"] = totals.elements;
  result["bytes"] = totals.bytes;
  result["prefix"] = file.prefix;
  result["notes"] = file.notes;
  result["metadata"] = file.metadata;
  result["tensors"] = Tree::list();
  for (const WeightsEntry& entry : file.tensors)
    result["tensors"].push(Tree::Table{{"name", entry.name},
                                       {"shape", entry.shape},
                                       {"dtype", name_of(entry.dtype)},
                                       {"elements", entry.elements()},
                                       {"bytes", entry.bytes()}});
  return result;
}

}  // namespace chop::cli

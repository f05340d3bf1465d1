#include "passes/summarise_quantisation.hpp"

#include "analysis/compare/quantisation_summary.hpp"
#include "report/table.hpp"
#include "support/system/files.hpp"

namespace chop::passes {
namespace {

/// The table with its rows numbered in a first column without a name, as pandas writes it.
std::string numbered_csv(const Table& table) {
  Table numbered = table;
  numbered.columns.insert(numbered.columns.begin(), report::Column{.header = ""});
  for (std::size_t i = 0; i < numbered.rows.size(); ++i)
    numbered.rows[i].insert(numbered.rows[i].begin(), Cell(i));
  return to_csv(numbered);
}

}  // namespace

Result<PassOutput> summarise_quantisation(const Graph& graph, const std::filesystem::path& folder,
                                          const PassContext& context) {
  const Table nodes = quantisation_table(graph);
  const Table histogram = quantisation_histogram(graph);
  PassOutput output{.text = "Quantized graph histogram:\n"};
  output.text += drawn(histogram, TableStyle::Orgtbl, context);
  output.info.set("histogram", tree_of(histogram));
  output.info.set("nodes", tree_of(nodes));
  if (folder.empty()) return output;
  output.files = {folder / "quantize_table.csv", folder / "quantize_histogram.csv"};
  CH_CHECK(write_file(output.files[0], numbered_csv(nodes)));
  CH_CHECK(write_file(output.files[1], to_csv(histogram)));
  return output;
}

}  // namespace chop::passes

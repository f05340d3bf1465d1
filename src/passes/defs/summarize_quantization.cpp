// summarize_quantization: which nodes carry number formats, by node and by type.
#include "analysis/compare/quantisation_summary.hpp"
#include "passes/pass_def.hpp"
#include "passes/summarise_quantisation.hpp"

namespace chop::passes::summarize_quantization {
namespace {

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  std::filesystem::path folder;
  if (args.has("save_dir"))
    folder = output_path(context, args.text("save_dir"));
  else if (!context.folder.empty())
    folder = context.folder / "quantize";
  CH_TRY(PassOutput output, summarise_quantisation(graph, folder, context));
  if (args.flag("nodes"))
    output.text += drawn(quantisation_table(graph), TableStyle::Orgtbl, context);
  return output;
}

}  // namespace

PassDef define() {
  return {.name = "summarize_quantization",
          .doc = "say which nodes carry number formats, by node and by type",
          .details =
              "A node counts as changed when any of its operands or results has a format. The\n"
              "tables are written to quantize_table.csv and quantize_histogram.csv.",
          .args = {{.name = "save_dir", .doc = "folder of the two files; `quantize` when absent"},
                   {.name = "nodes", .initial = false, .doc = "print the table of nodes too"}},
          .run = run};
}

}  // namespace chop::passes::summarize_quantization

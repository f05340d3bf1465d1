// report_trainable_parameters: every tensor of the network, and how many numbers are trained.
#include "passes/report_parts.hpp"
#include "report/table.hpp"
#include "support/text.hpp"

namespace chop::passes::report_trainable_parameters {
namespace {

Result<PassOutput> run(Graph& graph, const Args& /*args*/, const PassContext& context) {
  Table table{.columns = {{"Name", Align::Left, 0, "name"},
                          {"Shape", Align::Left, 0, "shape"},
                          {"Parameters", Align::Auto, 0, "count"},
                          {"Trainable", Align::Left, 0, "trainable"}}};
  std::int64_t trained = 0;
  std::int64_t kept = 0;
  std::uint64_t bytes = 0;
  Tree list = Tree::list();
  for (const Parameter& parameter : graph.parameters()) {
    const std::int64_t count = parameter.value.size();
    (parameter.trainable ? trained : kept) += count;
    bytes += parameter.value.size_in_bytes();
    table.rows.push_back(
        {parameter.name, to_string(parameter.value.shape()), count, parameter.trainable});
    Tree entry = Tree::Table{{"name", parameter.name},
                             {"shape", Tree(parameter.value.shape())},
                             {"count", count},
                             {"trainable", parameter.trainable}};
    list.push(std::move(entry));
  }
  PassOutput output{.text = cat(drawn(table, TableStyle::Simple, context), with_commas(trained),
                                " trainable parameters, ", with_commas(kept),
                                " numbers in buffers, ", human_bytes(bytes), "\n")};
  output.info.set("parameters", std::move(list));
  output.info.set("trainable", trained);
  output.info.set("buffers", kept);
  output.info.set("bytes", static_cast<std::int64_t>(bytes));
  return output;
}

}  // namespace

PassDef define() {
  return {.name = "report_trainable_parameters",
          .doc = "list every parameter with its shape and count, and the total that is trained",
          .details = "Buffers (running statistics) are saved with the network but not trained.",
          .run = run};
}

}  // namespace chop::passes::report_trainable_parameters

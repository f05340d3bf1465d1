// ch datasets: the data sets known by name.
#include "cli/action_def.hpp"
#include "cli/output.hpp"
#include "data/registry.hpp"

namespace chop::cli::actions::datasets {
namespace {

Result<Exit> run(const Invocation& invocation) {
  Table table{.columns = {{"Data set", Align::Left, 0, "dataset"},
                          {"Sample", Align::Left, 0, "sample_shape"},
                          {"Classes", Align::Right, 0, "classes"},
                          {"What it is", Align::Left, 80, "doc"}}};
  for (const DatasetDef& def : all_datasets())
    table.rows.push_back({def.name, to_string(def.sample_shape), def.num_classes, def.doc});
  return print_table(invocation, table, TableStyle::Simple);
}

}  // namespace

ActionDef define() {
  return {.name = "datasets",
          .usage = "ch datasets [--json FILE]",
          .summary = "list the data sets known by name",
          .details =
              "A path works as well: CSV, npy, npz, ARFF, HDF5, or a folder of MNIST or CIFAR-10 "
              "files.\n"
              "`ch data` says which of their files are there, and downloads them.",
          .settings = {"json", "quiet"},
          .run = run};
}

}  // namespace chop::cli::actions::datasets

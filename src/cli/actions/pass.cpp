// ch pass NAME MODEL|FILE [DATASET] [KEY=VALUE ...]: one pass over a network, at once.
#include "cli/open_model.hpp"
#include "cli/output.hpp"
#include "cli/pass_run.hpp"
#include "cli/session.hpp"
#include "config/toml.hpp"
#include "ir/text/text.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::pass {
namespace {

/// The data set named, or the one the network is usually run on when the pass needs one.
Result<std::optional<Dataset>> open_samples(const Invocation& invocation, const PassDef& pass,
                                            const OpenedModel& model) {
  std::string name = invocation.settings.text_or_empty("dataset");
  if (name.empty() && pass.needs_samples) name = model.dataset;
  if (name.empty()) return std::optional<Dataset>();
  CH_TRY(Dataset data,
         open_dataset(name, data_options(invocation.settings), model.graph, Labels::Optional));
  CH_CHECK(check_fits(model.graph, calibration_rows(data), data.num_classes));
  return std::optional<Dataset>(std::move(data));
}

Result<Exit> run(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  CH_TRY(Tree args, read_words(invocation.words));
  if (settings.flag("explain")) args.set("explain", true);
  CH_TRY(const PassCall call, make_call(settings.text_or_empty("name"), args));
  CH_TRY(const ModelSource source, classify(settings.text_or_empty("model")));
  CH_TRY(OpenedModel model, open_for_data(source, settings, settings.text_or_empty("dataset")));
  if (const auto path = settings.text("load_name")) {
    CH_TRY([[maybe_unused]] const bool transformed, load_into(model.graph, *path, settings));
  }
  CH_TRY(const std::optional<Dataset> data, open_samples(invocation, *call.def, model));
  const PassContext context{.samples = data ? &calibration_rows(*data) : nullptr,
                            .batch_size = settings.integer("batch_size"),
                            .threads = thread_count(settings),
                            .seed = static_cast<std::uint64_t>(settings.integer("seed"))};
  CH_TRY(const std::vector<PassReport> reports,
         run_and_print(invocation, model.graph, {&call, 1}, context));
  if (const auto kind = settings.text("text"); kind && prints_text(invocation))
    invocation.out << print(model.graph, {.values = kind == "values", .meta = kind == "meta"});
  if (const auto path = settings.text("save")) {
    CH_CHECK(save_checkpoint(
        *path, {.graph = model.graph, .info = {{kTransformedFrom, model.graph.name()}}}));
    log_info(cat("Saved mase graph to ", *path));
  }
  Tree result;
  result["model"] = model.name;
  result["batch_size"] = context.batch_size;
  result["passes"] = tree_of(reports);
  CH_CHECK(write_json(invocation, result));
  return Exit::Done;
}

}  // namespace

ActionDef define() {
  return {
      .name = "pass",
      .usage = "ch pass NAME MODEL|FILE [DATASET] [KEY=VALUE ...] [options]",
      .summary = "run one pass over a network and print what it finds",
      .details =
          "  ch pass report_graph jsc-tiny\n"
          "  ch pass calculate_flops jsc-s --batch-size 8\n"
          "  ch pass profile_statistics jsc-tiny jsc by=type num_samples=32 \\\n"
          "      target_activation_nodes=relu activation_statistics.range_min_max.dims=all\n"
          "FILE is a checkpoint, a network in TOML or a graph as text (.chir). `ch passes NAME` "
          "lists the arguments.",
      .positionals = {"name", "model", "dataset"},
      .required = {"name", "model"},
      .settings = {"load_name",
                   "load_type",
                   "load_partial",
                   "shape",
                   "batch_size",
                   "seed",
                   "data",
                   "rows",
                   "standardise",
                   "input_scale",
                   "input_mean",
                   "input_std",
                   "validation",
                   "validation_fraction",
                   "disable_dataset_cache",
                   "num_workers",
                   "threads",
                   "log_level",
                   "json",
                   "quiet",
                   "no_warnings"},
      .own = {{.field = {.name = "name", .doc = "a pass"},
               .positional = true,
               .placeholder = "NAME",
               .names = registered_names<all_passes>},
              {.field = {.name = "save",
                         .doc = "save the network as a checkpoint after the pass",
                         .kind = FieldKind::Path},
               .placeholder = "FILE"},
              {.field = {.name = "explain",
                         .initial = false,
                         .doc = "say what the columns of a report mean"}},
              {.field = {.name = "text",
                         .doc = "print the network as text after the pass: the graph, with values "
                                "or metadata",
                         .choices = {"graph", "values", "meta"}},
               .placeholder = "KIND"},
              dump_setting()},
      .takes_words = true,
      .run = run};
}

}  // namespace chop::cli::actions::pass

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

Result<Exit> run(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  CH_TRY(Tree args, read_words(invocation.words));
  if (settings.flag("explain")) args.set("explain", true);
  CH_TRY(const PassCall call, make_call(settings.text_or_empty("name"), args));
  CH_TRY(const ModelSource source, classify(settings.text_or_empty("model")));
  CH_TRY(OpenedModel model, open_for_data(source, settings, settings.text_or_empty("dataset")));
  CH_CHECK(load_given(model, settings));
  CH_TRY(const Tree result, run_pass(invocation, model, call));
  if (const auto kind = settings.text("text"); kind && prints_text(invocation))
    invocation.out << print(model.graph, {.values = kind == "values", .meta = kind == "meta"});
  if (const auto path = settings.text("save")) {
    CH_CHECK(save_checkpoint(
        *path, {.graph = model.graph, .info = info_of_transformed(model.graph, model.trained_on)}));
    log_info(cat("Saved mase graph to ", *path));
  }
  return done(invocation, result);
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
      .settings = sample_settings(
          {"load_name", "load_type", "load_partial", "batch_size", "target", "num_targets"}),
      .own = {positional("name", "NAME", "a pass", registered_names<all_passes>),
              {.field = {.name = "save",
                         .doc = "save the network as a checkpoint after the pass",
                         .kind = FieldKind::Path},
               .placeholder = "FILE"},
              flag("explain", "say what the columns of a report mean"),
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

// ch transform --config FILE: the passes of a configuration file, in its order.

#include "cli/output.hpp"
#include "cli/pass_run.hpp"
#include "cli/project.hpp"
#include "cli/session.hpp"
#include "cli/set_aside.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::transform {
namespace {

Result<std::vector<PassCall>> configured_passes(const Settings& settings) {
  const ConfigFile* config = settings.config();
  if (config == nullptr || !config->has_table("passes"))
    return Error{.what = "no passes to run",
                 .hint =
                     "--config FILE with a table [passes.NAME] for each pass; `ch passes` "
                     "lists them, `ch pass NAME MODEL` runs one"};
  const Tree& tables = config->tree["passes"];
  return calls_from(tables, config->path.string());
}

bool needs_samples(const std::vector<PassCall>& calls) {
  return std::any_of(calls.begin(), calls.end(),
                     [](const PassCall& call) { return call.def->needs_samples; });
}

bool changes_numbers(const std::vector<PassCall>& calls) {
  return std::any_of(calls.begin(), calls.end(), [](const PassCall& call) {
    return call.def->promise == Promise::NewNumbers || call.def->promise == Promise::Close;
  });
}

Table accuracy_table(const Session& session, const Metrics& before, const Metrics& after) {
  const auto row = [](const char* name, double a, double b) {
    return std::vector<Cell>{name, Cell(a, 4), Cell(b, 4), Cell(b - a, 4)};
  };
  Table table{
      .columns = {{labelled(session.data,
                            cat("Test split, ", shown_rows(before.rows, session.data.test.rows()))),
                   Align::Left, 0, "metric"},
                  {"Before", Align::Right, 0, "before"},
                  {"After", Align::Right, 0, "after"},
                  {"Change", Align::Right, 0, "change"}},
      .rows = {}};
  table.rows.push_back(row("accuracy", before.accuracy(), after.accuracy()));
  table.rows.push_back(row("loss", before.loss, after.loss));
  return table;
}

/// The accuracy before passes that change numbers, and how it is measured again after them.
struct Before {
  EvaluateOptions options;
  std::optional<Metrics> metrics;  ///< nothing where there is nothing to compare
};

Result<Before> evaluate_before(const Session& session, const Settings& settings,
                               const std::vector<PassCall>& calls) {
  Before before;
  if (!changes_numbers(calls) || !session.has_data() || !session.data.labelled) return before;
  before.options = evaluation_options(train_options(settings), session.data);
  if (before.options.most_batches == 0)
    before.options.most_batches = quick_batches(session.data.test, before.options.batch);
  CH_TRY(before.metrics, evaluate(session.graph, session.data.test, before.options));
  return before;
}

/// Runs the passes, evaluates what they made and saves it in the folder of `context`.
Status transform(const Invocation& invocation, Session& session, const std::vector<PassCall>& calls,
                 const PassContext& context, const Before& before) {
  CH_TRY(const std::vector<PassReport> reports,
         run_and_print(invocation, session.graph, calls, context));
  Tree accuracy;
  NonFinites not_finite = non_finite_weights(session.graph);
  if (before.metrics) {
    CH_TRY(const Metrics after, evaluate(session.graph, session.data.test, before.options));
    const Table table = accuracy_table(session, *before.metrics, after);
    add_non_finite(not_finite, "result", "loss before", before.metrics->loss);
    add_non_finite(not_finite, "result", "loss after", after.loss);
    if (prints_text(invocation))
      invocation.out << shown(invocation, table, TableStyle::Orgtbl) << std::flush;
    accuracy = tree_of(table);
  }
  const std::filesystem::path saved = context.folder / "transformed_ckpt";
  CH_CHECK(save_checkpoint(
      saved / "graph_module.mz",
      {.graph = session.graph, .info = info_of_transformed(session.graph, session.trained_on)}));
  log_info(cat("Saved mase graph to ", saved.string()));
  Tree result = Tree::Table{{"model", session.model_name},
                            {"dataset", session.data.name},
                            {"passes", tree_of(reports)},
                            {"accuracy", accuracy},
                            {"checkpoint", (saved / "graph_module.mz").string()}};
  report_non_finite(not_finite, result);
  return write_json(invocation, result);
}

Result<Exit> run(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  CH_TRY(const std::vector<PassCall> calls, configured_passes(settings));
  CH_TRY(Session session,
         open_session(invocation, needs_samples(calls) ? NeedsData::Samples : NeedsData::Nothing));
  CH_CHECK(open_project(session, settings, {.area = "transform", .purpose = "`ch transform`"}));
  log_info(cat("Transforming model '", session.model_name, "'..."));
  const std::filesystem::path folder = session.software() / "transform";
  PassContext context{.samples = session.has_data() ? &calibration_rows(session.data) : nullptr,
                      .batch_size = settings.integer("batch_size"),
                      .threads = thread_count(settings),
                      .seed = settings.seed(),
                      .folder = folder,
                      .hardware = session.project / "hardware"};
  aim_at_target(context, settings);
  if (session.has_data()) compare_data(session.model_name, session.trained_on, session.data);
  CH_TRY(const Before before, evaluate_before(session, settings, calls));
  if (!session.trained && changes_numbers(calls)) warn_of_random_weights();
  // Everything is ready: from here on files are written.
  CH_TRY(const std::filesystem::path kept, set_aside_folder(folder, Plain::Stays));
  if (Status done = transform(invocation, session, calls, context, before); !done) {
    put_back(folder, kept);
    return std::move(done).failure();
  }
  drop_earlier(folder, kept);
  log_info("Transformation is completed");
  return Exit::Done;
}

}  // namespace

ActionDef define() {
  return {.name = "transform",
          .usage = "ch transform [MODEL|FILE] [DATASET] --config FILE [options]",
          .summary = "run the passes of a configuration file over a network",
          .details =
              "  ch transform --config my_passes.toml\n"
              "Runs every [passes.NAME] table in the order of the file and saves the network at\n"
              "<project>/software/transform/transformed_ckpt/graph_module.mz. What an earlier run\n"
              "left there is kept as transform-v1, transform-v2 ...",
          .positionals = {"model", "dataset"},
          .required = {"model"},
          .groups = {SettingGroup::Task, SettingGroup::Data, SettingGroup::Model,
                     SettingGroup::Checkpoints, SettingGroup::Machine, SettingGroup::Output},
          .settings = {"batch_size", "target", "num_targets"},
          .own = {dump_setting()},
          .opens_with_settings = true,
          .run = run};
}

}  // namespace chop::cli::actions::transform

// ch transform --config FILE: the passes of a configuration file, in the order they stand.
#include <nlohmann/json.hpp>

#include "cli/output.hpp"
#include "cli/pass_run.hpp"
#include "cli/session.hpp"
#include "cli/toml_tree.hpp"
#include "support/log.hpp"
#include "support/text.hpp"

namespace chop::actions {
namespace {

using Json = nlohmann::ordered_json;

Result<std::vector<PassCall>> configured_passes(const Settings& settings) {
  const ConfigFile* config = settings.config();
  if (config == nullptr || !config->has_table("passes"))
    return Error{.what = "no passes to run",
                 .hint =
                     "--config FILE with a table [passes.NAME] for each pass; `ch passes` "
                     "lists them, `ch pass NAME MODEL` runs one"};
  CH_TRY(const Tree tables, read_table(config->text, config->path.string(), "passes"));
  return calls_from(tables, config->path.string());
}

Result<Exit> run(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  CH_TRY(const std::vector<PassCall> calls, configured_passes(settings));
  CH_TRY(Session session, open_session(invocation));
  log_info(cat("Transforming model '", session.model_name, "'..."));
  const std::filesystem::path folder = session.software() / "transform";
  const PassContext context{.samples = &session.data.train,
                            .batch_size = settings.integer("batch_size"),
                            .threads = thread_count(settings),
                            .seed = static_cast<std::uint64_t>(settings.integer("seed")),
                            .folder = folder};
  CH_TRY(const std::vector<PassReport> reports,
         run_and_print(invocation, session.graph, calls, context));
  const std::filesystem::path saved = folder / "transformed_ckpt";
  CH_CHECK(save_checkpoint(saved / "graph_module.mz",
                           {.graph = session.graph,
                            .info = {{kTransformedFrom, session.graph.name()}}}));
  log_info(cat("Saved mase graph to ", saved.string()));
  Json json;
  json["model"] = session.model_name;
  json["dataset"] = session.data.name;
  json["passes"] = json_of(reports);
  json["checkpoint"] = (saved / "graph_module.mz").string();
  CH_CHECK(write_json(invocation, json));
  log_info("Transformation is completed");
  return Exit::Done;
}

}  // namespace

ActionDef transform() {
  return {.name = "transform",
          .usage = "ch transform [MODEL] [DATASET] --config FILE [options]",
          .summary = "run the passes of a configuration file over a network",
          .details =
              "  ch transform --config my_passes.toml\n"
              "Runs every [passes.NAME] table in the order of the file and saves the network at\n"
              "<project>/software/transform/transformed_ckpt/graph_module.mz.",
          .positionals = {"model", "dataset"},
          .required = {"model", "dataset"},
          .groups = {SettingGroup::Task, SettingGroup::Data, SettingGroup::Model,
                     SettingGroup::Checkpoints, SettingGroup::Machine, SettingGroup::Output},
          .settings = {"batch_size"},
          .own = {dump_setting()},
          .run = run};
}

}  // namespace chop::actions

// ch inspect MODEL|FILE: what is in a network, on one screen; --report runs one of the reports.
#include <set>

#include "cli/open_model.hpp"
#include "cli/output.hpp"
#include "cli/pass_run.hpp"
#include "cli/session.hpp"
#include "cli/views/inspect_view.hpp"
#include "cli/views/weights_view.hpp"
#include "io/weights_file.hpp"
#include "models/registry.hpp"
#include "onnx/file_view.hpp"
#include "ops/core/registry.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::inspect {
namespace {

constexpr std::size_t kRowsOfAScreen = 30;
constexpr std::int64_t kSamplesForStatistics = 512;
/// What a network may take to be run here, where it is only looked at: a file of a few lines can
/// name shapes of any size.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

/// Ranges and variances of all weights and of what every kind of layer reads.
Tree statistics_args(const Graph& graph) {
  std::set<std::string> with_weights;
  std::set<std::string> all;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.opcode == Opcode::Placeholder || node.opcode == Opcode::GetAttr ||
        node.opcode == Opcode::Output)
      continue;
    all.insert(node.op);
    if (node.opcode == Opcode::CallModule && !op_of(node).params.empty())
      with_weights.insert(node.op);
  }
  Tree statistics = Tree::table();
  statistics.set("range_min_max", Tree::table()).set("dims", "all");
  statistics.set("variance_online", Tree::table()).set("dims", "all");
  Tree args = Tree::table();
  args.set("by", "type");
  args.set("target_weight_nodes", Tree::List(with_weights.begin(), with_weights.end()));
  args.set("target_activation_nodes", Tree::List(all.begin(), all.end()));
  args.set("weight_statistics", statistics);
  args.set("activation_statistics", statistics);
  args.set("num_samples", kSamplesForStatistics);
  return args;
}

struct Report {
  std::string_view name;
  std::string_view pass;
  Tree (*args)(const Graph&) = nullptr;  ///< of the pass; null: none
};
constexpr Report kReports[] = {
    {"graph", "report_graph"},       {"types", "report_node_type"},
    {"shapes", "report_node_shape"}, {"meta", "report_node_meta_param"},
    {"flops", "calculate_flops"},    {"stats", "profile_statistics", statistics_args}};

std::vector<std::string_view> report_names() {
  std::vector<std::string_view> names;
  for (const Report& report : kReports) names.push_back(report.name);
  return names;
}

bool takes(const PassDef& pass, std::string_view arg) {
  return std::any_of(pass.args.begin(), pass.args.end(),
                     [arg](const Field& def) { return def.name == arg; });
}

Result<PassCall> report_call(const Invocation& invocation, const Graph& graph,
                             const std::string& report) {
  const auto* found = std::find_if(std::begin(kReports), std::end(kReports),
                                   [&](const Report& each) { return each.name == report; });
  assert(found != std::end(kReports) && "the setting allows only these");
  CH_TRY(const PassDef* pass, find_pass(found->pass));
  Tree args = found->args == nullptr ? Tree::table() : found->args(graph);
  if (invocation.settings.flag("explain") && takes(*pass, "explain")) args.set("explain", true);
  return make_call(found->pass, args);
}

std::string header(const OpenedModel& model, const Inspection& inspection, int threads) {
  std::string text = model.name;
  if (const Result<const ModelDef*> def = find_model(model.name); def)
    text += cat(": ", def.value()->doc);
  text += cat("\n", counted(inspection.cost.parameters, "parameter"), ", ",
              model.trained ? "weights from the file" : "random weights");
  if (!model.dataset.empty()) text += cat("; usually run on ", model.dataset);
  const std::int64_t batch = inspection.cost.batch;
  return text += cat("\nCounted and timed for a batch of ", counted(batch, "sample"), " on ",
                     counted(threads, "thread"), " (--batch-size, --threads)\n\n");
}

/// 12.3 us, 4.56 ms, 1.23 s.
std::string duration(double seconds) {
  if (seconds < 1e-3) return cat(Cell(seconds * 1e6, 1).text, " us");
  if (seconds < 1) return cat(Cell(seconds * 1e3, 2).text, " ms");
  return cat(Cell(seconds, 2).text, " s");
}

std::string footer(const Inspection& inspection, std::size_t shown) {
  const GraphCost& cost = inspection.cost;
  const auto bytes = [](std::int64_t count) {
    return human_bytes(static_cast<std::uint64_t>(count));
  };
  const std::string busy =
      inspection.times.is_noisy()
          ? cat("; half of the runs differ by ", Cell(100 * inspection.times.spread, 0).text,
                " %:\n       the machine is busy, and all times are rough")
          : "";
  const std::string time =
      std::isnan(inspection.times.run_seconds)
          ? cat("not timed, because a run takes ", human_bytes(inspection.times.plan_bytes),
                "; `ch bench-model` times it")
          : cat(duration(inspection.times.run_seconds), " a run, the median of ",
                inspection.times.repeats, busy);
  std::string text = cat(
      "\nTotal: ", with_commas(cost.arithmetic.macs), " MACs (", with_commas(cost.arithmetic.exact),
      " operations), ", with_commas(cost.lab_bitops), " BitOPs\n       ", time, "\n       ",
      bytes(inspection.bits() / 8), " in memory: parameters ", bytes(cost.parameter_bytes),
      ", activations ", bytes(inspection.bits() / 8 - cost.parameter_bytes), "\n");
  if (shown < inspection.rows.size())
    text += cat("       ", inspection.rows.size(), " layers shown as ", shown,
                " rows; --all lists every one\n");
  return text;
}

Result<Exit> show(const Invocation& invocation, const OpenedModel& model) {
  const Settings& settings = invocation.settings;
  const int threads = thread_count(settings);
  CH_TRY(const Inspection inspection,
         inspect_graph(model.graph, {.batch = batch_size(model, settings),
                                     .threads = threads,
                                     .seconds = 0.2,
                                     .seed = settings.seed(),
                                     .most_bytes = kMostBytes}));
  if (prints_text(invocation)) {
    const std::vector<InspectRow> rows =
        one_screen(inspection.rows, settings.flag("all") ? inspection.rows.size() : kRowsOfAScreen);
    invocation.out << header(model, inspection, threads)
                   << shown(invocation, table_of(rows), TableStyle::Simple)
                   << footer(inspection, rows.size());
    if (settings.flag("explain")) invocation.out << "\n" << inspect_explanation();
  }
  Tree result =
      Tree::Table{{"model", model.name}, {"dataset", model.dataset}, {"trained", model.trained}};
  add_entries(result, tree_of(inspection));
  return done(invocation, result);
}

/// The tensors of a file and what else it says.
Result<Exit> show_weights(const Invocation& invocation, const std::filesystem::path& path,
                          const WeightsFile& file) {
  const Settings& settings = invocation.settings;
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  const std::string name = path.filename().string();
  if (prints_text(invocation)) {
    constexpr std::size_t kRows = 200;
    const std::size_t rows =
        settings.flag("all") ? file.tensors.size() : std::min(kRows, file.tensors.size());
    invocation.out << weights_header(file, name, code ? 0 : size)
                   << shown(invocation, tensors_table(file, rows), TableStyle::Simple);
    if (rows < file.tensors.size())
      invocation.out << file.tensors.size() - rows << " more; --all lists every one\n";
    invocation.out << metadata_text(file);
  }
  Tree result = Tree::Table{{"file", name}, {"file_bytes", code ? 0 : size}};
  add_entries(result, tree_of(file));
  return done(invocation, result);
}

Result<Exit> run(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  const std::string given = settings.text_or_empty("model");
  CH_TRY(const ModelSource source, classify(given));
  if (source.kind == SourceKind::Checkpoint) {
    CH_TRY(const WeightsFile file, read_weights_file(*source.file));
    if (settings.flag("tensors") || (file.type != LoadType::Mz && !settings.has("report")))
      return show_weights(invocation, source.file->path(), file);
  }
  if (source.kind == SourceKind::Onnx && settings.flag("tensors")) {
    CH_TRY(const WeightsFile file, list_onnx(*source.file));
    return show_weights(invocation, source.file->path(), file);
  }
  const std::string dataset = settings.text_or_empty("dataset");
  CH_TRY(OpenedModel model, open_for_data(source, settings, dataset));
  // Most networks say by themselves what they take; a misspelt data set is an error all the same.
  if (!dataset.empty()) CH_CHECK(check_dataset(dataset, settings, model.graph));
  const auto report = settings.text("report");
  if (!report) return show(invocation, model);
  CH_TRY(const PassCall call, report_call(invocation, model.graph, *report));
  CH_TRY(const Tree result, run_pass(invocation, model, call, std::filesystem::current_path()));
  return done(invocation, result);
}

std::vector<SettingDef> options() {
  return {
      {.field = {.name = "batch_size",
                 .initial = 1,
                 .doc = "samples that are counted, timed and reported together",
                 .bounds = {.least = 1}},
       .placeholder = "N"},
      {.field = {.name = "report",
                 .doc = "the full report of one kind instead of the screen",
                 .choices = report_names()},
       .placeholder = "KIND"},
      flag("explain", "say what the columns mean"),
      flag("all", "every layer of a large network, no blocks; every tensor of a file"),
      flag("tensors", "of a checkpoint or ONNX model the tensors and metadata, not the network"),
      dump_setting()};
}

}  // namespace

ActionDef define() {
  return {
      .name = "inspect",
      .usage = "ch inspect MODEL|FILE [DATASET] [options]",
      .summary = "show a network on one screen: layers, shapes, costs, where time and bits go",
      .details =
          "  ch inspect jsc-tiny --explain\n"
          "  ch inspect resnet18 --all\n"
          "  ch inspect best.ckpt --report flops --batch-size 8\n"
          "  ch inspect weights.pt\n"
          "FILE is an ONNX model, a checkpoint, a file of weights (PyTorch, Lightning, "
          "safetensors), whose "
          "tensors\n"
          "are listed, or a network in TOML. --report graph, types, shapes, meta, flops\n"
          "and stats run the passes report_graph, report_node_type, report_node_shape,\n"
          "report_node_meta_param, calculate_flops and profile_statistics; `ch pass` takes their\n"
          "arguments.",
      .positionals = {"model", "dataset"},
      .required = {"model"},
      .settings = sample_settings(),
      .own = options(),
      .run = run};
}

}  // namespace chop::cli::actions::inspect

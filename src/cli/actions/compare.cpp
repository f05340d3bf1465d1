// ch compare A [B] [DATASET]: two networks node by node, weight by weight, output by output.
#include <filesystem>

#include "cli/open_model.hpp"
#include "cli/output.hpp"
#include "cli/session.hpp"
#include "cli/views/comparison_report.hpp"
#include "cli/views/weights_comparison.hpp"
#include "data/files/by_path.hpp"
#include "data/registry.hpp"
#include "models/registry.hpp"
#include "ops/core/infer.hpp"
#include "ops/core/init.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::compare {
namespace {

namespace fs = std::filesystem;

/// The meaning of the words of the command line.
struct Words {
  ModelSource before;
  std::optional<ModelSource> after = {};  ///< none: the first without its formats
  std::string dataset = {};               ///< empty: not run
};

struct BothNetworks {
  OpenedModel before;
  OpenedModel after;
};

/// Whether a word is a data set by its name, not a network: jsc, or a data file.
bool names_dataset(const std::string& word) {
  if (find_model(word)) return false;
  return has_ending_of_data(word) || (!fs::exists(word) && find_dataset(word));
}

/// The second word may be a data set: `ch compare FILE jsc`, a data file, or a folder without a
/// network.
Result<Words> read_words(const Settings& settings) {
  Words words;
  words.dataset = settings.text_or_empty("dataset");
  CH_TRY(words.before, classify(settings.text_or_empty("before")));
  const std::string second = settings.text_or_empty("after");
  if (second.empty()) return words;
  const bool may_be_data = words.dataset.empty();
  if (may_be_data && names_dataset(second)) {
    words.dataset = second;
    return words;
  }
  CH_TRY(ModelSource source, classify(second));
  if (may_be_data && source.kind == SourceKind::Folder)
    words.dataset = second;
  else
    words.after = std::move(source);
  return words;
}

/// A file of weights without a network: a PyTorch checkpoint, a plain safetensors file.
bool holds_weights_alone(const ModelSource& source) {
  if (source.kind != SourceKind::Checkpoint) return false;
  const Result<WeightsFile> file = read_weights_file(*source.file);
  return file && file.value().type != LoadType::Mz;
}

/// The network of `other` with the weights of a file that has none of its own.
Result<OpenedModel> with_weights(const OpenedModel& other, const MappedFile& file) {
  CH_TRY(LoadedWeights loaded, load_weights(without_formats(other.graph), file));
  ops::apply_masks(loaded.graph);
  warn_of_non_finite(non_finite_weights(loaded.graph));
  return OpenedModel{.graph = std::move(loaded.graph),
                     .name = file.path().filename().string(),
                     .dataset = other.dataset,
                     .trained = true};
}

/// The data set that is named, as DATASET or with --data.
std::string dataset_of(const Words& words, const Settings& settings) {
  const std::string given = settings.text_or_empty("data");
  return !words.dataset.empty() ? words.dataset : given == "auto" ? "" : given;
}

Result<BothNetworks> open_both(const Words& words, const Settings& settings) {
  const std::string dataset = dataset_of(words, settings);
  const ModelSource& before = words.before;
  if (words.after && holds_weights_alone(before)) {
    CH_TRY(OpenedModel second, open_for_data(*words.after, settings, dataset));
    CH_TRY(OpenedModel first, with_weights(second, *before.file));
    return BothNetworks{std::move(first), std::move(second)};
  }
  CH_TRY(OpenedModel first, open_for_data(before, settings, dataset));
  if (!words.after) {
    if (!has_formats(first.graph))
      return Error{.what = cat("'", before.given,
                               "' has no number formats: there is nothing to compare it with"),
                   .hint = "name two networks, or one that `ch transform` saved"};
    BothNetworks both{first, first};
    both.before.graph = without_formats(std::move(both.before.graph));
    both.before.name = cat(first.name, " without formats");
    return both;
  }
  const ModelSource& after = *words.after;
  CH_TRY(OpenedModel second, holds_weights_alone(after) ? with_weights(first, *after.file)
                                                        : open_for_data(after, settings, dataset));
  for (const OpenedModel* model : {&first, &second})
    if (!model->trained) log_warning(cat("The weights of ", model->name, " are random"));
  return BothNetworks{std::move(first), std::move(second)};
}

/// Both networks can be run on the same samples.
Status check_same_inputs(const BothNetworks& both) {
  CH_TRY(const Types types_a, infer_types(both.before.graph, 1));
  CH_TRY(const Types types_b, infer_types(both.after.graph, 1));
  const std::vector<NodeId> in_a = both.before.graph.placeholders();
  const std::vector<NodeId> in_b = both.after.graph.placeholders();
  if (in_a.empty() || in_b.empty()) return Error{.what = "a network without inputs cannot be run"};
  const Shape& a = types_a[index(in_a[0])][0].shape;
  const Shape& b = types_b[index(in_b[0])][0].shape;
  if (a == b) return {};
  return Error{.what = cat("the two networks take different samples: ", to_string(a), " before, ",
                           to_string(b), " after"),
               .hint = "leave out --data and DATASET to compare their nodes and weights"};
}

/// The data set to run on, if one is asked for: DATASET, or --data. A path given with --data is
/// where the files of DATASET are, or a data set of its own.
Result<std::optional<Dataset>> open_data(const Words& words, const BothNetworks& both,
                                         const Settings& settings) {
  const std::string given = settings.text_or_empty("data");
  if (words.dataset.empty() && given.empty()) return std::optional<Dataset>();
  CH_CHECK(check_same_inputs(both));
  std::string name = words.dataset.empty() ? given : words.dataset;
  DataOptions options = data_options(settings);
  options.path = !words.dataset.empty() && given != "auto" ? given : "";
  if (name == "auto") name = both.before.dataset.empty() ? both.after.dataset : both.before.dataset;
  if (name.empty())
    return Error{.what = "the data set of this network is not known",
                 .hint = "name it: --data jsc; `ch datasets` lists all"};
  CH_TRY(Dataset data, open_dataset(name, options, both.before.graph, Labels::Optional));
  for (const OpenedModel* model : {&both.before, &both.after}) {
    if (Status fits = check_fits(model->graph, data.test, data.num_classes); !fits)
      return std::move(fits).error().note(cat("the network ", model->name));
    compare_data(model->name, model->trained_on, data);
  }
  return std::optional<Dataset>(std::move(data));
}

/// The node asked for alone, or everything.
Result<Comparison> chosen_nodes(const Settings& settings, const Comparison& all) {
  const auto wanted = settings.text("node");
  if (!wanted) return all;
  Comparison chosen;
  std::vector<std::string> names;
  for (const NodeComparison& node : all.nodes) {
    names.push_back(node.name);
    if (node.name == *wanted) chosen.nodes.push_back(node);
  }
  if (!chosen.nodes.empty()) return chosen;
  for (const auto* nodes : {&all.only_before, &all.only_after})
    for (const UnmatchedNode& node : *nodes)
      if (node.name == *wanted)
        return Error{
            .what = cat("only the network ", nodes == &all.only_before ? "before" : "after",
                        " has a node '", *wanted, "'"),
            .hint = cat("both have ", join(names, ", "))};
  return Error{.what = cat("no node '", *wanted, "'"),
               .hint = cat(did_you_mean(*wanted, names), "both networks have ", join(names, ", "))};
}

void print(const Invocation& invocation, const Table& table) {
  if (prints_text(invocation) && !table.rows.empty())
    invocation.out << shown(invocation, table, TableStyle::Simple) << "\n";
}

/// Runs both networks, prints the comparison, and adds it to the result.
Status run_both(const Invocation& invocation, const BothNetworks& both, const Dataset& data,
                Tree& result) {
  const Settings& settings = invocation.settings;
  const std::int64_t asked = settings.integer("samples");
  const std::int64_t rows = asked == 0 ? data.test.rows() : std::min(asked, data.test.rows());
  const int threads = thread_count(settings);
  const Split part = rows_of(data.test, 0, rows);
  CH_TRY(const OutputsComparison outputs, compare_outputs(both.before.graph, both.after.graph, part,
                                                          {.rows = rows, .threads = threads}));
  if (prints_text(invocation)) invocation.out << "\n";
  print(invocation, output_table(outputs));
  if (prints_text(invocation))
    invocation.out << outputs_text(outputs)
                   << cat("Run on ", shown_rows(rows, data.test.rows()),
                          data.labelled ? "" : "; the data has no labels", "\n\n");
  result["dataset"] = data.name;
  result["synthetic"] = data.synthetic;
  result["outputs"] = tree_of(outputs);
  if (!data.labelled) return {};
  const EvaluateOptions options{.batch = evaluation_batch(data.sample_shape, 128),
                                .threads = threads};
  MetricsPair metrics;
  CH_TRY(metrics.before, evaluate(both.before.graph, part, options));
  CH_TRY(metrics.after, evaluate(both.after.graph, part, options));
  NonFinites not_finite;
  add_non_finite(not_finite, "result", "loss before", metrics.before.loss);
  add_non_finite(not_finite, "result", "loss after", metrics.after.loss);
  warn_of_non_finite(not_finite);
  print(invocation, accuracy_table(metrics, labelled(data, cat(data.name, ", ", with_commas(rows),
                                                               " rows of the test split"))));
  if (prints_text(invocation)) invocation.out << accuracy_text(metrics);
  result["accuracy"] = tree_of(metrics);
  return {};
}

Tree described(const OpenedModel& model) {
  return Tree::Table{{"name", model.name},
                     {"graph", model.graph.name()},
                     {"trained", model.trained},
                     {"parameters", model.graph.parameter_count()}};
}

void print_comparison(const Invocation& invocation, const BothNetworks& both, const Comparison& all,
                      const Comparison& chosen, const std::string& weights) {
  if (!prints_text(invocation)) return;
  invocation.out << "before: " << both.before.name << "\nafter:  " << both.after.name << "\n\n"
                 << weights;
  print(invocation, node_table(chosen));
  print(invocation, operand_table(chosen));
  invocation.out << notes_text(chosen);
  if (all.equal()) invocation.out << "The networks are equal: no node differs\n";
  invocation.out << totals_text(all) << std::flush;
}

Result<Exit> run(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  CH_TRY(const Words words, read_words(settings));
  CH_TRY(BothNetworks both, open_both(words, settings));
  const std::vector<std::string> distinct =
      distinct_names({both.before.name, both.after.name},
                     {words.before.given, words.after ? words.after->given : ""});
  both.before.name = distinct[0];
  both.after.name = distinct[1];
  CH_TRY(const Comparison all, compare_graphs(both.before.graph, both.after.graph));
  CH_TRY(const Comparison chosen, chosen_nodes(settings, all));
  ShownWeights weights;
  if (settings.flag("weights")) {
    CH_TRY(weights,
           show_weights(both.before.graph, both.after.graph, chosen,
                        {settings.text_or_empty("operand"), /*one_node=*/settings.has("node")}));
  }
  CH_TRY(const std::optional<Dataset> data, open_data(words, both, settings));
  print_comparison(invocation, both, all, chosen, weights.text);
  Tree result = Tree::Table{{"before", described(both.before)}, {"after", described(both.after)}};
  add_entries(result, tree_of(all));
  result["weights"] = settings.flag("weights") ? weights.tree : Tree();
  if (data) CH_CHECK(run_both(invocation, both, *data, result));
  return done(invocation, result);
}

}  // namespace

ActionDef define() {
  return {
      .name = "compare",
      .usage = "ch compare A [B] [DATASET] [options]",
      .summary = "show what differs between two networks, or what formats did to one",
      .details =
          "  ch compare graph_module.mz                      with its formats and without\n"
          "  ch compare best.ckpt graph_module.mz --data     and run both on samples\n"
          "  ch compare graph_module.mz --node seq_blocks_2 --weights\n"
          "A and B are models, checkpoints, networks in TOML, or folders with a checkpoint; one\n"
          "may be a file of weights alone (PyTorch, Lightning, safetensors) for the network of\n"
          "the other. Nodes are matched by name. SQNR is 10 log10 of the power of the values\n"
          "before over the power of the error. --data alone runs the network's usual data set;\n"
          "--data NAME another one; with DATASET, --data PATH says where its files are.",
      .positionals = {"before", "after", "dataset"},
      .required = {"before"},
      .settings = sample_settings(),
      .own = {positional("before", "A", "a model, a checkpoint, or a network in TOML"),
              positional("after", "B",
                         "another one; A with and without its formats when not given"),
              option("data", "[DATASET]",
                     "run both on samples of this data set, or of the network's usual one"),
              {.field = {.name = "samples",
                         .initial = 4096,
                         .doc = "run on so many rows of the test split; 0: all",
                         .bounds = {.least = 0}}},
              split_setting(),
              option("node", "NAME", "show this node alone"),
              flag("weights",
                   "print the weights row by row, before and after, of all nodes or of --node"),
              option("operand", "NAME",
                     "what --weights prints: weight, bias, running_mean; without it all that "
                     "can be trained")},
      .run = run};
}

}  // namespace chop::cli::actions::compare

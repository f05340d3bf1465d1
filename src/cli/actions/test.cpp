// ch test [MODEL] [DATASET] --load CHECKPOINT: loss, accuracy and the confusion matrix.
#include "cli/open_model.hpp"
#include "cli/output.hpp"
#include "cli/project.hpp"
#include "cli/session.hpp"
#include "data/registry.hpp"
#include "models/registry.hpp"
#include "report/svg.hpp"
#include "support/system/files.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::test {
namespace {

std::string class_name(const Dataset& data, std::int64_t index) {
  const auto at = static_cast<std::size_t>(index);
  return at < data.class_names.size() ? data.class_names[at] : std::to_string(index);
}

std::int64_t count_at(const Metrics& m, std::int64_t truth, std::int64_t predicted) {
  return m.confusion[static_cast<std::size_t>(truth * m.classes + predicted)];
}

std::int64_t row_total(const Metrics& m, std::int64_t truth) {
  std::int64_t total = 0;
  for (std::int64_t p = 0; p < m.classes; ++p) total += count_at(m, truth, p);
  return total;
}

/// True classes down, predicted ones across, and the share of each row that is right.
Table confusion_table(const Dataset& data, const Metrics& m) {
  Table table{.columns = {{"true \\ predicted", Align::Left, 0, "class"}}, .rows = {}};
  for (std::int64_t c = 0; c < m.classes; ++c)
    table.columns.push_back({class_name(data, c), Align::Right});
  table.columns.push_back({"accuracy", Align::Right});
  for (std::int64_t truth = 0; truth < m.classes; ++truth) {
    std::vector<Cell> row = {class_name(data, truth)};
    for (std::int64_t p = 0; p < m.classes; ++p) row.emplace_back(count_at(m, truth, p));
    const std::int64_t total = row_total(m, truth);
    if (total > 0)
      row.emplace_back(static_cast<double>(count_at(m, truth, truth)) / static_cast<double>(total),
                       4);
    else
      row.emplace_back("no rows");
    table.rows.push_back(std::move(row));
  }
  return table;
}

ConfusionMatrix confusion_picture(const Session& session, const Metrics& m) {
  ConfusionMatrix matrix{
      .title = cat(session.model_name, " on ", labelled(session.data, session.data.name))};
  for (std::int64_t truth = 0; truth < m.classes; ++truth) {
    matrix.classes.push_back(class_name(session.data, truth));
    std::vector<std::int64_t> row;
    for (std::int64_t p = 0; p < m.classes; ++p) row.push_back(count_at(m, truth, p));
    matrix.counts.push_back(std::move(row));
  }
  return matrix;
}

Tree tree_of(const Session& session, const Metrics& m) {
  return Tree::Table{{"model", session.model_name},
                     {"dataset", session.data.name},
                     {"synthetic", session.data.synthetic},
                     {"rows", m.rows},
                     {"rows_in_data", total_rows(session.data)},
                     {"loss", m.loss},
                     {"accuracy", m.accuracy()},
                     {"correct", m.correct},
                     {"confusion", tree_of(confusion_table(session.data, m))}};
}

/// The project of what is tested, or one of its own. The result is printed wherever that fails.
bool can_write(Session& session, const Settings& settings) {
  const Status opened = open_project(
      session, settings,
      {.area = "test",
       .purpose = "`ch test`",
       .beside = settings.text_or_empty(settings.has("load_name") ? "load_name" : "model")});
  if (!opened) log_warning(cat("confusion.csv and .svg are not written: ", opened.error().what));
  return static_cast<bool>(opened);
}

/// Of a network without weights; that of a name that is no model's says so.
Error nothing_to_test(const ModelSource& source) {
  if (source.kind == SourceKind::Name && !source.given.empty())
    if (Result<const ModelDef*> known = find_model(source.given); !known)
      return std::move(known).error();
  return {.what = cat("nothing to test: no checkpoint given for '", source.given, "'"),
          .hint =
              "--load PATH, or an ONNX model or checkpoint in place of MODEL; `ch train` "
              "leaves its best at "
              "<project>/software/training_ckpts/best.ckpt"};
}

/// ch test A B ... DATASET: the last word is the data set, all others are networks.
Result<Exit> test_several(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  if (settings.has("load_name"))
    return Error{.what = "--load is for one network, and several are given",
                 .hint = "name the checkpoints themselves: ch test A.ckpt B.ckpt DATASET"};
  std::vector<std::string> given = {settings.text_or_empty("model"),
                                    settings.text_or_empty("dataset")};
  given.insert(given.end(), invocation.words.begin(), invocation.words.end() - 1);
  std::vector<OpenedModel> networks;
  std::vector<std::string> names;
  for (const std::string& word : given) {
    CH_TRY(const ModelSource source, classify(word));
    if (!source.is_network() && find_dataset(word))
      return Error{
          .what = cat("the data set is given twice: ", word, " and ", invocation.words.back()),
          .hint = "leave one of them away; all other words are networks"};
    if (!source.is_network()) return nothing_to_test(source);
    CH_TRY(OpenedModel network, open_for_data(source, settings, invocation.words.back()));
    names.push_back(network.name);
    networks.push_back(std::move(network));
  }
  names = distinct_names(names, given);
  CH_TRY(const Dataset data, open_dataset(invocation.words.back(), data_options(settings),
                                          networks[0].graph, Labels::Needed));
  Table table{
      .columns = {{labelled(data, cat("Network on ", data.name)), Align::Left, 0, "network"},
                  {"Parameters", Align::Right, 0, "parameters"},
                  {"Rows", Align::Right, 0, "rows"},
                  {"Loss", Align::Right, 0, "loss"},
                  {"Accuracy", Align::Right, 0, "accuracy"}},
      .rows = {}};
  for (std::size_t i = 0; i < networks.size(); ++i) {
    const Graph& graph = networks[i].graph;
    if (Status fits = check_fits(graph, data.test, data.num_classes); !fits)
      return std::move(fits).error().note(cat("the network ", names[i]));
    compare_data(names[i], networks[i].trained_on, data);
    CH_TRY(const Metrics found,
           evaluate(graph, data.test, evaluation_options(train_options(settings), data)));
    const std::int64_t parameters = graph.parameter_count();
    table.rows.push_back({names[i], Cell(parameters, with_commas(parameters)),
                          Cell(found.rows, with_commas(found.rows)), Cell(found.loss, 6),
                          Cell(found.accuracy(), 6)});
    NonFinites not_finite = non_finite_weights(graph);
    add_non_finite(not_finite, "result", cat("loss of ", names[i]), found.loss);
    warn_of_non_finite(not_finite);
  }
  return print_table(invocation, table);
}

Result<Exit> run(const Invocation& invocation) {
  if (!invocation.words.empty()) return test_several(invocation);
  CH_TRY(const ModelSource source, model_source(invocation.settings));
  if (!invocation.settings.has("load_name") && !source.is_network()) return nothing_to_test(source);
  CH_TRY(Session session, open_session(invocation, NeedsData::Labelled, source));
  compare_data(session.model_name, session.trained_on, session.data);
  const bool writes = can_write(session, invocation.settings);
  log_info(cat("Testing model '", session.model_name, "'..."));
  EvaluateOptions evaluation = evaluation_options(train_options(invocation.settings), session.data);
  evaluation.confusion = true;
  CH_TRY(const Metrics metrics, evaluate(session.graph, session.data.test, evaluation));
  const Table confusion = confusion_table(session.data, metrics);
  if (prints_text(invocation)) {
    const Table scores{
        .columns = {{labelled(session.data, "Test metric"), Align::Left}, {"Value", Align::Right}},
        .rows = {{"test_acc_epoch", Cell(metrics.accuracy(), 6)},
                 {"test_loss_epoch", Cell(metrics.loss, 6)},
                 {"rows", Cell(metrics.rows, shown_rows(metrics.rows, total_rows(session.data)))}}};
    invocation.out << shown(invocation, scores) << shown(invocation, confusion);
  }
  NonFinites not_finite = non_finite_weights(session.graph);
  add_non_finite(not_finite, "result", "loss", metrics.loss);
  Tree result = tree_of(session, metrics);
  report_non_finite(not_finite, result);
  CH_CHECK(write_json(invocation, result));
  if (writes) {
    const auto folder = session.software() / "test";
    CH_CHECK(write_file(folder / "confusion.csv", to_csv(confusion)));
    CH_CHECK(write_file(folder / "confusion.svg", to_svg(confusion_picture(session, metrics))));
  }
  log_info("Testing is completed");
  return Exit::Done;
}

}  // namespace

ActionDef define() {
  return {.name = "test",
          .usage = "ch test MODEL|FILE... [DATASET] [--load CHECKPOINT] [options]",
          .summary = "evaluate a trained network on the test split or on a file",
          .details =
              "  ch test jsc-tiny jsc --load mase_output/my/software/training_ckpts/best.ckpt\n"
              "  ch test mnist-8.onnx mnist --input-scale 255\n"
              "  ch test tiny.ckpt large.ckpt quantised.mz jsc          one table\n"
              "Prints loss, accuracy, the confusion matrix and the accuracy of each class. A data "
              "file is\n"
              "tested whole; with --split only the fifth of it that `ch train` does not train on.",
          .positionals = {"model", "dataset"},
          .required = {"model", "dataset"},
          .groups = {SettingGroup::Task, SettingGroup::Data, SettingGroup::Model,
                     SettingGroup::Checkpoints, SettingGroup::Machine, SettingGroup::Output},
          .settings = {"batch_size"},
          .own = {split_setting()},
          .takes_names = true,
          .run = run};
}

}  // namespace chop::cli::actions::test

#include "train/evaluate.hpp"

#include <algorithm>
#include <numeric>

#include "data/loader.hpp"
#include "ops/infer.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

void copy_rows(const Split& split, std::int64_t first, Program& program) {
  const std::int64_t width = split.rows() == 0 ? 0 : split.x.size() / split.rows();
  const auto x = split.x.data<float>().subspan(static_cast<std::size_t>(first * width),
                                               static_cast<std::size_t>(program.batch() * width));
  const auto y = split.y.data<std::int64_t>().subspan(static_cast<std::size_t>(first),
                                                      static_cast<std::size_t>(program.batch()));
  std::copy(x.begin(), x.end(), program.inputs().begin());
  std::copy(y.begin(), y.end(), program.targets().begin());
}

void count_confusion(const Program& program, Metrics& metrics) {
  const auto width = static_cast<std::size_t>(program.classes());
  for (std::size_t row = 0; row < static_cast<std::size_t>(program.batch()); ++row) {
    const auto predicted =
        static_cast<std::size_t>(argmax(program.logits().subspan(row * width, width)));
    ++metrics.confusion[static_cast<std::size_t>(program.targets()[row]) * width + predicted];
  }
}

}  // namespace

std::int64_t evaluation_batch(const Shape& sample, std::int64_t training_batch) {
  const std::int64_t values = std::max<std::int64_t>(1, numel(sample));
  return std::max(training_batch, std::min<std::int64_t>(1024, 32768 / values));
}

Status check_fits(const Graph& graph, const Split& split, std::int64_t classes) {
  if (split.rows() == 0) return Error{.what = "the data set has no rows"};
  if (graph.placeholders().empty())
    return Error{.what = cat("graph '", graph.name(), "' has no input")};
  CH_TRY(const Types types, infer_types(graph, 2));
  const NodeId input = graph.placeholders()[0];
  Shape wanted = types[index(input)][0].shape;
  Shape given = split.x.shape();
  if (wanted.empty())
    return Error{.what = "the network's input has shape []; classification needs [batch, ...]"};
  wanted.erase(wanted.begin());
  given.erase(given.begin());
  if (numel(wanted) != numel(given) || (wanted != given && given.size() == wanted.size()))
    return Error{.what = cat("the network takes samples of shape ", to_string(wanted),
                             ", the data set has ", to_string(given)),
                 .hint = "choose a model for this data set; `ch models` lists shapes"};
  const std::vector<Value> outputs = graph.outputs();
  const Shape logits = outputs.empty() ? Shape{} : type_of(types, outputs[0]).shape;
  if (logits.empty())
    return Error{.what =
                     "the network's output has shape []; classification needs [batch, classes]"};
  const std::int64_t width = logits.back();
  if (width < classes)
    return Error{
        .what = cat("the network has ", width, " outputs, the data set ", classes, " classes")};
  return {};
}

Result<Evaluator> Evaluator::make(const Graph& graph, ParameterStore& store, const Split& split,
                                  const EvaluateOptions& options) {
  Evaluator evaluator;
  evaluator.split_ = &split;
  evaluator.options_ = options;
  if (split.rows() == 0) return Error{.what = "the data set has no rows"};
  if (options.batch < 1)
    return Error{.what = cat("a batch of ", options.batch, " rows cannot be run")};
  const std::int64_t batch = std::min(options.batch, split.rows());
  CH_TRY(Program full,
         Program::evaluation(graph, store, batch, options.threads, options.parameters));
  evaluator.programs_.push_back(std::move(full));
  if (const std::int64_t rest = split.rows() % batch; rest != 0) {
    CH_TRY(Program last,
           Program::evaluation(graph, store, rest, options.threads, options.parameters));
    evaluator.programs_.push_back(std::move(last));
  }
  return evaluator;
}

Metrics Evaluator::run() {
  Metrics metrics;
  metrics.classes = programs_[0].classes();
  if (options_.confusion)
    metrics.confusion.resize(static_cast<std::size_t>(metrics.classes * metrics.classes));
  double sum = 0;
  std::int64_t batches = 0;
  for (std::int64_t first = 0; first < split_->rows();) {
    if (options_.most_batches > 0 && batches == options_.most_batches) break;
    if (options_.stop_requested && options_.stop_requested()) break;
    Program& program =
        split_->rows() - first >= programs_[0].batch() ? programs_[0] : programs_.back();
    copy_rows(*split_, first, program);
    program.run();
    sum += program.loss() * static_cast<double>(program.batch());
    metrics.correct += program.correct();
    metrics.rows += program.batch();
    if (options_.confusion) count_confusion(program, metrics);
    first += program.batch();
    ++batches;
  }
  metrics.loss = metrics.rows == 0 ? 0 : sum / static_cast<double>(metrics.rows);
  return metrics;
}

Result<Metrics> evaluate(const Graph& graph, const Split& split, const EvaluateOptions& options) {
  CH_TRY(ParameterStore store, ParameterStore::from(graph));
  EvaluateOptions own = options;
  own.parameters = Parameters::Stay;
  CH_TRY(Evaluator evaluator, Evaluator::make(graph, store, split, own));
  return evaluator.run();
}

}  // namespace chop

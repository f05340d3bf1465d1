#include "train/evaluate.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "data/loader.hpp"
#include "ops/core/infer.hpp"
#include "support/system/threads.hpp"
#include "support/text.hpp"

namespace chop::train {
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

}  // namespace

void count_confusion(const Program& program, std::vector<std::int64_t>& confusion) {
  const auto width = static_cast<std::size_t>(program.classes());
  for (std::size_t row = 0; row < static_cast<std::size_t>(program.batch()); ++row) {
    const auto predicted =
        static_cast<std::size_t>(argmax(program.logits().subspan(row * width, width)));
    ++confusion[static_cast<std::size_t>(program.targets()[row]) * width + predicted];
  }
}

std::int64_t evaluation_batch(const Shape& sample, std::int64_t training_batch) {
  const std::int64_t values = std::max<std::int64_t>(1, numel(sample));
  return std::max(training_batch, std::min<std::int64_t>(1024, 32768 / values));
}

Status check_fits(const Graph& graph, const Split& split, std::int64_t classes) {
  return check_fits(graph, {&split}, classes);
}

Status check_fits(const Graph& graph, std::initializer_list<const Split*> splits,
                  std::int64_t classes) {
  for (const Split* split : splits)
    if (split->rows() == 0) return Error{.what = "the data set has no rows"};
  if (graph.placeholders().empty())
    return Error{.what = cat("graph '", graph.name(), "' has no input")};
  CH_TRY(const Types types, infer_types(graph, 2));
  const NodeId input = graph.placeholders()[0];
  Shape wanted = types[index(input)][0].shape;
  if (wanted.empty())
    return Error{.what = "the network's input has shape []; classification needs [batch, ...]"};
  wanted.erase(wanted.begin());
  for (const Split* split : splits) {
    Shape given = split->x.shape();
    given.erase(given.begin());
    if (numel(wanted) != numel(given) || (wanted != given && given.size() == wanted.size()))
      return Error{.what = cat("the network takes samples of shape ", to_string(wanted),
                               ", the data set has ", to_string(given)),
                   .hint = "choose a model for this data set; `ch models` lists shapes"};
  }
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

/// By batch, so that what threads find out can be added in the order of the batches.
struct Evaluator::Tally {
  std::vector<double> losses;
  std::vector<std::int64_t> correct;
  std::vector<std::int64_t> rows;  ///< 0 for batches that were not run

  explicit Tally(std::int64_t batches)
      : losses(static_cast<std::size_t>(batches)),
        correct(static_cast<std::size_t>(batches)),
        rows(static_cast<std::size_t>(batches)) {}
};

Result<Evaluator> Evaluator::make(const Graph& graph, ParameterStore& store, const Split& split,
                                  const EvaluateOptions& options) {
  Evaluator evaluator;
  evaluator.split_ = &split;
  evaluator.options_ = options;
  if (split.rows() == 0) return Error{.what = "the data set has no rows"};
  if (options.batch < 1)
    return Error{.what = cat("a batch of ", options.batch, " rows cannot be run")};
  CH_CHECK(evaluator.prepare(graph, store));
  return evaluator;
}

/// Small networks keep threads busy with a batch each; large ones share the work of one batch.
Status Evaluator::prepare(const Graph& graph, ParameterStore& store) {
  constexpr std::size_t kSmall = std::size_t{8} << 20U;
  const std::int64_t batch = std::min(options_.batch, split_->rows());
  const auto make = [&](std::int64_t rows, int threads) {
    return Program::evaluation(graph, store, rows, threads, options_.parameters);
  };
  CH_TRY(Program full, make(batch, options_.threads));
  const bool apart = options_.threads > 1 && full.plan().memory_bytes() <= kSmall &&
                     split_->rows() / batch >= std::int64_t{2} * options_.threads;
  programs_.push_back(std::move(full));
  for (int i = 1; apart && i < options_.threads; ++i) {
    CH_TRY(Program another, make(batch, 1));
    programs_.push_back(std::move(another));
  }
  if (const std::int64_t rest = split_->rows() % batch; rest != 0) {
    CH_TRY(Program last, make(rest, options_.threads));
    rest_.emplace(std::move(last));
  }
  return {};
}

std::int64_t Evaluator::batches() const {
  const std::int64_t batch = programs_[0].batch();
  const std::int64_t all = (split_->rows() + batch - 1) / batch;
  return options_.most_batches > 0 ? std::min(options_.most_batches, all) : all;
}

void Evaluator::run_batch(std::int64_t batch, Program& program, Tally& tally) const {
  copy_rows(*split_, batch * programs_[0].batch(), program);
  program.run();
  const auto b = static_cast<std::size_t>(batch);
  tally.losses[b] = program.loss() * static_cast<double>(program.batch());
  tally.correct[b] = program.correct();
  tally.rows[b] = program.batch();
}

Metrics Evaluator::run() {
  Metrics metrics;
  metrics.classes = programs_[0].classes();
  const auto cells = options_.confusion ? metrics.classes * metrics.classes : 0;
  const auto threads = static_cast<std::int64_t>(programs_.size());
  std::vector<std::vector<std::int64_t>> confusion(
      programs_.size(), std::vector<std::int64_t>(static_cast<std::size_t>(cells)));
  const std::int64_t count = batches();
  const bool has_rest = rest_ && count * programs_[0].batch() > split_->rows();
  Tally tally(count);
  std::atomic<bool> stopped = false;
  const auto go_on = [&] {
    if (options_.stop_requested && options_.stop_requested()) stopped = true;
    return !stopped;
  };
  const auto judge = [&](std::int64_t batch, Program& program, std::size_t thread) {
    run_batch(batch, program, tally);
    if (options_.confusion) count_confusion(program, confusion[thread]);
  };
  parallel_for(static_cast<int>(threads), threads, [&](std::int64_t thread) {
    const auto t = static_cast<std::size_t>(thread);
    for (std::int64_t b = thread; b < count - (has_rest ? 1 : 0); b += threads) {
      if (thread == 0 ? !go_on() : stopped.load()) return;
      judge(b, programs_[t], t);
    }
  });
  if (has_rest && go_on()) judge(count - 1, *rest_, 0);
  double sum = 0;
  for (std::size_t b = 0; b < tally.rows.size(); ++b) {
    sum += tally.losses[b];
    metrics.correct += tally.correct[b];
    metrics.rows += tally.rows[b];
  }
  metrics.confusion.resize(static_cast<std::size_t>(cells));
  for (const std::vector<std::int64_t>& part : confusion)
    for (std::size_t i = 0; i < part.size(); ++i) metrics.confusion[i] += part[i];
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

}  // namespace chop::train

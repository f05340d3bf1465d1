// Evaluation of a classifier over a split. Small networks run a batch on each thread, large ones
// share the work of one batch among the threads; both give the same bits (train/tally.hpp).
#include "train/evaluate.hpp"

#include "ir/fixed_batch.hpp"
#include "ops/core/infer.hpp"
#include "support/text.hpp"

namespace chop::train {
namespace {

/// Rows `first` and following, as many as the program takes.
void copy_rows(const Split& split, std::int64_t first, const Program& program) {
  const std::int64_t width = split.x.size() / split.rows();
  const auto x = split.x.data<float>().subspan(static_cast<std::size_t>(first * width),
                                               static_cast<std::size_t>(program.batch() * width));
  const auto y = split.y.data<std::int64_t>().subspan(static_cast<std::size_t>(first),
                                                      static_cast<std::size_t>(program.batch()));
  std::copy(x.begin(), x.end(), program.inputs().begin());
  std::copy(y.begin(), y.end(), program.targets().begin());
}

}  // namespace

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

std::int64_t quick_batches(const Split& split, std::int64_t batch) {
  constexpr std::int64_t kNumbers = std::int64_t{1} << 23;
  if (split.x.size() <= kNumbers) return 0;
  return std::max<std::int64_t>(1, kNumbers / (split.x.size() / split.rows()) / batch);
}

Result<Evaluator> Evaluator::make(const Graph& graph, ParameterStore* store, const Split& split,
                                  const EvaluateOptions& options) {
  Evaluator evaluator;
  evaluator.split_ = &split;
  evaluator.options_ = options;
  if (split.rows() == 0) return Error{.what = "the data set has no rows"};
  if (options.batch < 1)
    return Error{.what = cat("a batch of ", options.batch, " rows cannot be run")};
  CH_TRY(const std::int64_t batch, batch_for(graph, options.batch, split.rows()));
  evaluator.batches_ = {split.rows(), std::min(batch, split.rows())};
  CH_CHECK(evaluator.compile(graph, store));
  return evaluator;
}

/// Small networks keep threads busy with a batch each; large ones share the work of one batch.
Status Evaluator::compile(const Graph& graph, ParameterStore* store) {
  constexpr std::size_t kSmall = std::size_t{8} << 20U;
  const auto make = [&](std::int64_t rows, int threads) {
    return Program::evaluation(graph, rows, threads, store);
  };
  CH_TRY(Program full, make(batches_.size, options_.threads));
  const bool apart = options_.threads > 1 && full.plan().memory_bytes() <= kSmall &&
                     batches_.rows / batches_.size >= std::int64_t{2} * options_.threads;
  programs_.push_back(std::move(full));
  for (int i = 1; apart && i < options_.threads; ++i) {
    CH_TRY(Program another, make(batches_.size, 1));
    programs_.push_back(std::move(another));
  }
  if (const std::int64_t rest = batches_.rest(); rest != 0) {
    CH_TRY(Program last, make(rest, options_.threads));
    rest_.emplace(std::move(last));
  }
  return {};
}

bool Evaluator::depends_on_processor() const {
  return programs_[0].plan().depends_on_processor() ||
         (rest_ && rest_->plan().depends_on_processor());
}

Result<Metrics> Evaluator::run() {
  const std::int64_t all = batches_.count();
  const std::int64_t count = options_.most_batches > 0 ? std::min(options_.most_batches, all) : all;
  const bool has_rest = rest_ && count == all;
  Tally tally(count, programs_.size(), programs_[0].classes(),
              options_.confusion ? Confusion::Yes : Confusion::No);
  std::vector<Status> faults(programs_.size());
  const auto run_batch = [&](std::int64_t batch, std::size_t lane, Program& program) {
    if (lane == 0 && options_.stop_requested && options_.stop_requested()) return false;
    copy_rows(*split_, batches_.first_row(batch), program);
    faults[lane] = program.run();
    if (faults[lane]) tally.add(batch, lane, program);
    return static_cast<bool>(faults[lane]);
  };
  const bool done = for_batches(
      0, has_rest ? count - 1 : count, static_cast<int>(programs_.size()),
      [&](std::int64_t b, std::size_t lane) { return run_batch(b, lane, programs_[lane]); });
  if (done && has_rest) run_batch(count - 1, 0, *rest_);
  for (Status& fault : faults) CH_CHECK(std::move(fault));
  return tally.total();
}

Result<Metrics> evaluate(const Graph& graph, const Split& split, const EvaluateOptions& options) {
  CH_TRY(Evaluator evaluator, Evaluator::make(graph, nullptr, split, options));
  return evaluator.run();
}

}  // namespace chop::train

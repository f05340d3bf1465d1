// basic_evaluation: loss and accuracy of the candidate as it is.
#include "data/splits.hpp"
#include "search/evaluation/runner_def.hpp"
#include "search/evaluation/staged_evaluator.hpp"

namespace chop::search::runners::basic_evaluation {
namespace {

/// The mean over classes of the share that is right; classes without rows do not count.
double macro_accuracy(const Metrics& metrics) {
  double sum = 0;
  std::int64_t counted = 0;
  for (std::int64_t truth = 0; truth < metrics.classes; ++truth) {
    std::int64_t rows = 0;
    for (std::int64_t p = 0; p < metrics.classes; ++p)
      rows += metrics.confusion[static_cast<std::size_t>(truth * metrics.classes + p)];
    if (rows == 0) continue;
    ++counted;
    const auto right = metrics.confusion[static_cast<std::size_t>(truth * (metrics.classes + 1))];
    sum += static_cast<double>(right) / static_cast<double>(rows);
  }
  return counted == 0 ? 0 : sum / static_cast<double>(counted);
}

class BasicEvaluation : public Runner {
 public:
  BasicEvaluation(std::unique_ptr<StagedEvaluator> evaluator, const Split& split,
                  const EvaluateOptions& options, std::int64_t rows, bool macro)
      : evaluator_(std::move(evaluator)),
        options_(options),
        macro_(macro),
        rows_(first_rows(split, rows)) {}

  Result<MetricValues> run(Candidate& candidate, const RunHooks& hooks) override {
    StagedEvaluator::OnPart on_part;
    if (hooks.report)
      on_part = [&](std::int64_t part, const Metrics& so_far) {
        return hooks.report(part, values_of(so_far));
      };
    // Other weights: nothing that was kept is of use.
    CH_TRY(const Metrics metrics, candidate.trained
                                      ? evaluate(candidate.graph, rows_, options_)
                                      : evaluator_->run(candidate.graph, hooks.worker, on_part));
    return values_of(metrics);
  }

 private:
  MetricValues values_of(const Metrics& metrics) const {
    return {{"loss", metrics.loss},
            {"accuracy", macro_ ? macro_accuracy(metrics) : metrics.accuracy()}};
  }

  std::unique_ptr<StagedEvaluator> evaluator_;
  EvaluateOptions options_;
  bool macro_;
  Split rows_;
};

/// 0: all of them.
std::int64_t rows_to_evaluate(const RunnerContext& context, const Split& split, const Args& args) {
  const std::int64_t wanted = args.has("num_samples") ? args.integer("num_samples") : 0;
  if (context.most_batches == 0) return wanted;
  const std::int64_t most = context.most_batches * context.batch_size;
  return std::min(most, wanted == 0 ? split.rows() : wanted);
}

Result<std::unique_ptr<Runner>> make(const RunnerContext& context, const Args& args) {
  CH_TRY(const Split* split, rows_of(context.data, args));
  const bool macro = args.text("average") == "macro";
  const std::int64_t rows = rows_to_evaluate(context, *split, args);
  const std::int64_t batch = evaluation_batch(context.data.sample_shape, context.batch_size);
  CH_TRY(std::unique_ptr<StagedEvaluator> evaluator,
         StagedEvaluator::make(context.graph, context.searched, *split,
                               {.rows = rows,
                                .batch = batch,
                                .workers = context.workers,
                                .threads = context.threads,
                                .confusion = macro,
                                .in_parts = context.reporting}));
  const EvaluateOptions options{.batch = batch, .threads = context.threads, .confusion = macro};
  return std::unique_ptr<Runner>(
      new BasicEvaluation(std::move(evaluator), *split, options, rows, macro));
}

}  // namespace

RunnerDef define() {
  return {.name = "basic_evaluation",
          .doc = "evaluate the network as it is",
          .metrics = {{"accuracy", "share of the rows that are classified correctly"},
                      {"loss", "mean cross entropy"}},
          .args = {data_loader_argument(),
                   {.name = "num_samples",
                    .doc = "so many rows, the first ones; all if it is not given",
                    .kind = FieldKind::Integer,
                    .bounds = {.least = 1}},
                   {.name = "average",
                    .initial = "micro",
                    .doc = "accuracy over rows, or (macro) the mean of each class's",
                    .choices = {"micro", "macro"}}},
          .make = make};
}

}  // namespace chop::search::runners::basic_evaluation

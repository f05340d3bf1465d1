// basic_train: some epochs with the candidate's number formats in place, always from the same
// weights; then loss and accuracy on the validation rows.
#include "data/splits.hpp"
#include "search/evaluation/runner_def.hpp"
#include "search/space/train_space.hpp"

namespace chop::search::runners::basic_train {
namespace {

class BasicTrain : public Runner {
 public:
  BasicTrain(const RunnerContext& context, std::int64_t rows)
      : threads_(context.threads), data_(context.data) {
    data_.train = first_rows(data_.train, rows);
  }

  Result<MetricValues> run(Candidate& candidate, const RunHooks& hooks) override {
    TrainOptions options = candidate.training;
    options.threads = threads_;
    bool pruned = false;
    TrainObserver observer;
    observer.on_epoch = [&](const EpochMetrics& epoch, double /*seconds*/) {
      if (hooks.report) pruned = hooks.report(epoch.epoch + 1, values_of(epoch));
    };
    observer.stop_requested = [&] {
      return pruned || (hooks.stop_requested && hooks.stop_requested());
    };
    CH_TRY(TrainOutcome outcome, train_network(candidate.graph, data_, options, observer));
    candidate.graph = std::move(outcome.best);
    candidate.trained = true;
    if (outcome.history.empty()) return MetricValues{};  // stopped before the first was over
    for (const EpochMetrics& epoch : outcome.history)
      if (epoch.epoch == outcome.best_epoch) return values_of(epoch);
    return Error{.what = "the validation loss is infinite or not a number after every epoch",
                 .hint = "a smaller learning rate may help"};
  }

 private:
  static MetricValues values_of(const EpochMetrics& epoch) {
    return {{"loss", epoch.validation_loss}, {"accuracy", epoch.validation_accuracy}};
  }

  int threads_;
  Dataset data_;
};

Result<std::unique_ptr<Runner>> make(const RunnerContext& context, const Args& args) {
  if (context.data.train.rows() == 0 || context.data.validation.rows() == 0)
    return args.wrong("max_epochs", "the data set has no rows to train and validate on");
  const std::int64_t rows = args.has("num_samples") ? args.integer("num_samples") : 0;
  return std::unique_ptr<Runner>(new BasicTrain(context, rows));
}

/// The reference system's name for an option of training, where it has another one.
std::string_view argument_of(const TrainField& option) {
  if (option.field.name == "training_optimizer") return "optimizer";
  if (option.field.name == "accumulate_grad_batches") return "gradient_accumulation_steps";
  return option.field.name;
}

/// Whether it is an argument: every option that decides what a trial ends with.
bool is_argument(const TrainField& option) {
  return !option.field.internal && option.decides != Decides::Nothing;
}

Status configure(const Args& args, TrainOptions& options) {
  for (const TrainField& option : train_fields())
    if (const std::string_view name = argument_of(option); is_argument(option) && args.has(name))
      option.set(options, args.get(name));
  return {};
}

}  // namespace

RunnerDef define() {
  RunnerDef runner = {
      .name = "basic_train",
      .doc = "train the network with its formats in place, then evaluate it on the validation rows",
      .metrics = {{"accuracy", "share of the validation rows that are classified correctly"},
                  {"loss", "mean cross entropy over the validation rows"}},
      .args = {{.name = "num_samples",
                .doc = "train rows used, the first ones; all if it is not given",
                .kind = FieldKind::Integer,
                .bounds = kAtLeastOne},
               {.name = "lr_scheduler",
                .initial = "cosine",
                .doc = "the only one there is",
                .choices = {"cosine"}},
               {.name = "num_warmup_steps",
                .initial = 0,
                .doc = "there is no warm-up",
                .bounds = {.least = 0, .most = 0}}},
      .make = make,
      .configure = configure};
  for (const TrainField& option : train_fields())
    if (is_argument(option))
      runner.args.push_back(trial_field(option.field.name, argument_of(option)));
  return runner;
}

}  // namespace chop::search::runners::basic_train

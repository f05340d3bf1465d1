// basic_train: some epochs with the candidate's number formats in place, always from the same
// weights; then loss and accuracy on the validation rows.
#include "data/splits.hpp"
#include "search/evaluation/runner_def.hpp"
#include "train/optimiser.hpp"

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
    bool hopeless = false;
    TrainObserver observer;
    observer.on_epoch = [&](const EpochMetrics& epoch, double /*seconds*/) {
      if (hooks.report) hopeless = hooks.report(epoch.epoch + 1, values_of(epoch));
    };
    observer.stop_requested = [&] {
      return hopeless || (hooks.stop_requested && hooks.stop_requested());
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

Status configure(const Args& args, TrainOptions& options) {
  if (args.has("optimizer")) {
    if (Result<const OptimiserDef*> found = find_optimiser(args.text("optimizer")); !found)
      return args.wrong("optimizer", found.error().what, found.error().hint);
    options.optimiser = args.text("optimizer");
  }
  if (args.has("learning_rate")) options.settings.learning_rate = args.real("learning_rate");
  if (args.has("weight_decay")) options.settings.weight_decay = args.real("weight_decay");
  if (args.has("max_epochs")) options.max_epochs = args.integer("max_epochs");
  if (args.has("batch_size")) options.batch_size = args.integer("batch_size");
  if (args.has("gradient_accumulation_steps"))
    options.accumulate_grad_batches = args.integer("gradient_accumulation_steps");
  return {};
}

}  // namespace

RunnerDef define() {
  const Bounds one_or_more{.least = 1};
  return {
      .name = "basic_train",
      .doc = "train the network with its formats in place, then judge it on the validation rows",
      .metrics = {{"accuracy", "share of the validation rows that are classified correctly"},
                  {"loss", "mean cross entropy over the validation rows"}},
      .args = {{.name = "max_epochs",
                .doc = "epochs; those of the configuration if it is not given",
                .kind = FieldKind::Integer,
                .bounds = one_or_more},
               {.name = "num_samples",
                .doc = "train rows used, the first ones; all if it is not given",
                .kind = FieldKind::Integer,
                .bounds = one_or_more},
               {.name = "optimizer", .doc = "adam, sgd, adamw"},
               {.name = "learning_rate", .kind = FieldKind::Real, .bounds = {.above = 0}},
               {.name = "weight_decay", .kind = FieldKind::Real, .bounds = {.least = 0}},
               {.name = "lr_scheduler",
                .initial = "cosine",
                .doc = "the only one there is",
                .choices = {"cosine"}},
               {.name = "num_warmup_steps",
                .initial = 0,
                .doc = "there is no warm-up",
                .bounds = {.least = 0, .most = 0}},
               {.name = "batch_size", .kind = FieldKind::Integer, .bounds = one_or_more},
               {.name = "gradient_accumulation_steps",
                .kind = FieldKind::Integer,
                .bounds = one_or_more}},
      .make = make,
      .configure = configure};
}

}  // namespace chop::search::runners::basic_train

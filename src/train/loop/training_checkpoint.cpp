#include "train/loop/training_checkpoint.hpp"

#include "support/escape.hpp"
#include "support/system/log.hpp"
#include "support/system/simd_level.hpp"
#include "support/text.hpp"

namespace chop::train {
namespace {

std::string slot_prefix(const OptimiserDef& optimiser, std::size_t slot) {
  return cat("optimizer/", optimiser.slots[slot], "/");
}

constexpr const char* kSimd = "chop.simd";

void add_fingerprint(Checkpoint& checkpoint, const Training& training) {
  checkpoint.info[kTrainedOn] = to_utf8(training.dataset);
  if (const std::string level = simd_fingerprint(training.depends_on_processor); !level.empty())
    checkpoint.info[kSimd] = level;
  if (training.transformed) checkpoint.info[kTransformedFrom] = training.graph.name();
}

/// Says when the checkpoint's bits are those of other vector instructions.
void compare_simd(const Training& training, const Checkpoint& from) {
  const auto found = from.info.find(kSimd);
  const std::string then = found == from.info.end() ? "" : found->second;
  if (!is_other_simd_fingerprint(then, training.depends_on_processor)) return;
  const std::string_view now = name_of(simd_level());
  log_warning(cat("The run was begun with ", then.empty() ? "avx2 or more" : then,
                  ", here it goes on with ", now,
                  ": roundings differ, so its bits are those of neither alone",
                  then.empty() ? "" : cat("; --simd ", then, " keeps to the first")));
}

}  // namespace

Training begin_training(const Graph& graph, ParameterStore store, const OptimiserDef& optimiser,
                        bool transformed, std::string dataset) {
  const Shape shape = {static_cast<std::int64_t>(store.values().size())};
  std::vector<Tensor> slots;
  for (std::size_t i = 0; i < optimiser.slots.size(); ++i) slots.emplace_back(DType::F32, shape);
  return {.graph = graph,
          .store = std::move(store),
          .optimiser = optimiser,
          .slots = std::move(slots),
          .best = graph,
          .transformed = transformed,
          .dataset = std::move(dataset)};
}

TrainOutcome outcome_of(const Training& training, Ending ending) {
  const ProgressState& state = training.state;
  TrainOutcome outcome{.last = training.graph,
                       .best = Graph(),
                       .best_epoch = state.best_epoch,
                       .best_loss = state.best_loss,
                       .history = state.history,
                       .steps = state.step,
                       .ending = ending};
  training.store.write_to(outcome.last);
  outcome.best = state.best_epoch < 0 ? outcome.last : training.best;
  return outcome;
}

Checkpoint last_checkpoint(const Training& training,
                           const std::map<std::string, std::string>& fingerprint) {
  Checkpoint checkpoint{training.graph, to_info(training.state, fingerprint), {}};
  add_fingerprint(checkpoint, training);
  training.store.write_to(checkpoint.graph);
  for (std::size_t i = 0; i < training.slots.size(); ++i)
    for (auto& named :
         training.store.split(training.slots[i].data<float>(), slot_prefix(training.optimiser, i)))
      checkpoint.extra.push_back(std::move(named));
  if (training.state.best_epoch >= 0)
    for (const Parameter& parameter : training.best.parameters())
      checkpoint.extra.emplace_back("best/" + parameter.name, parameter.value);
  return checkpoint;
}

Checkpoint best_checkpoint(const Training& training) {
  Checkpoint checkpoint{training.best,
                        {{"chop.epoch", std::to_string(training.state.best_epoch)},
                         {"chop.validation_loss", exact(training.state.best_loss)}},
                        {}};
  add_fingerprint(checkpoint, training);
  return checkpoint;
}

Status restore(Training& training, const Checkpoint& from,
               const std::map<std::string, std::string>& fingerprint, EpochSize size) {
  CH_TRY(ProgressState state, from_info(from.info, fingerprint));
  compare_simd(training, from);
  // As many epochs as the history has rows, so the product is small.
  if (state.batch > size.batches || state.step > state.epoch * size.batches + state.batch ||
      state.rows > size.rows)
    return Error{.what = "the checkpoint counts more batches, steps or rows than its epochs have",
                 .hint = "train again without --resume, or resume from another checkpoint"};
  const std::map<std::string, Tensor> extra(from.extra.begin(), from.extra.end());
  for (std::size_t i = 0; i < training.slots.size(); ++i)
    CH_CHECK(training.store.join(training.slots[i].mutable_data<float>(), extra,
                                 slot_prefix(training.optimiser, i)));
  training.state = std::move(state);
  training.best = training.graph;
  if (training.state.best_epoch < 0) return {};
  for (Parameter& parameter : training.best.parameters()) {
    const auto found = extra.find("best/" + parameter.name);
    if (found == extra.end() || found->second.type() != parameter.value.type())
      return Error{.what = cat("the checkpoint holds no usable 'best/", parameter.name, "'")};
    parameter.value = found->second;
  }
  return {};
}

}  // namespace chop::train

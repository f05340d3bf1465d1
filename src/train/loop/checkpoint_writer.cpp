#include "train/loop/checkpoint_writer.hpp"

namespace chop::train {

CheckpointWriter::CheckpointWriter(const TrainOptions& options, const Dataset& data)
    : options_(options) {
  // With both policies std::async computes it later, in get(), if no thread can be started.
  constexpr auto kBeside = std::launch::async | std::launch::deferred;
  const bool beside = writes() && options.threads > 1;
  fingerprint_ = std::async(beside ? kBeside : std::launch::deferred, [&options, &data] {
                   return train::fingerprint(options, data);
                 }).share();
}

double CheckpointWriter::seconds_since_save() const {
  return std::chrono::duration<double>(Clock::now() - last_save_).count();
}

bool CheckpointWriter::is_due_after_step(std::int64_t step) const {
  if (!writes()) return false;
  if (options_.checkpoint_every_n_steps > 0 && step % options_.checkpoint_every_n_steps == 0)
    return true;
  return options_.checkpoint_every_seconds > 0 &&
         seconds_since_save() >= options_.checkpoint_every_seconds;
}

bool CheckpointWriter::is_due_after_epoch(std::int64_t step) const {
  return writes() && (is_due_after_step(step) || seconds_since_save() >= 1.0);
}

Status CheckpointWriter::save_best(const Training& training) {
  const std::filesystem::path path = options_.checkpoints / "best.ckpt";
  if (!writes() || training.state.best_epoch < 0) return {};
  std::error_code ignored;  // somebody may have removed it
  if (!best_unsaved_ && std::filesystem::exists(path, ignored)) return {};
  CH_CHECK(save_checkpoint(path, best_checkpoint(training)));
  best_unsaved_ = false;
  return {};
}

Status CheckpointWriter::save_last(const Training& training) {
  if (!writes()) return {};
  // last.ckpt comes first: it holds the best weights too, and if it fails all is as it was.
  CH_CHECK(save_checkpoint(options_.checkpoints / "last.ckpt",
                           last_checkpoint(training, fingerprint_.get())));
  last_save_ = Clock::now();
  std::error_code ignored;  // a best.ckpt of an earlier run is kept elsewhere
  if (training.state.best_epoch < 0)
    std::filesystem::remove(options_.checkpoints / "best.ckpt", ignored);
  return save_best(training);
}

}  // namespace chop::train

#include "train/tally.hpp"

namespace chop::train {
namespace {

void count_confusion(const Program& program, std::vector<std::int64_t>& confusion) {
  const auto width = static_cast<std::size_t>(program.classes());
  for (std::size_t row = 0; row < static_cast<std::size_t>(program.batch()); ++row) {
    const auto predicted =
        static_cast<std::size_t>(argmax(program.logits().subspan(row * width, width)));
    ++confusion[static_cast<std::size_t>(program.targets()[row]) * width + predicted];
  }
}

}  // namespace

Tally::Tally(std::int64_t batches, std::size_t lanes, std::int64_t classes, Confusion confusion)
    : classes_(classes), batches_(static_cast<std::size_t>(batches)), confusion_(lanes) {
  if (confusion == Confusion::Yes)
    for (auto& counts : confusion_) counts.resize(static_cast<std::size_t>(classes * classes));
}

void Tally::add(std::int64_t batch, std::size_t lane, const Program& program) {
  batches_[static_cast<std::size_t>(batch)] = {
      .loss = program.loss() * static_cast<double>(program.batch()),
      .correct = program.correct(),
      .rows = program.batch()};
  if (!confusion_[lane].empty()) count_confusion(program, confusion_[lane]);
}

Metrics Tally::total() const {
  Metrics metrics{.classes = classes_, .confusion = {}};
  double sum = 0;
  for (const Batch& batch : batches_) {
    sum += batch.loss;
    metrics.correct += batch.correct;
    metrics.rows += batch.rows;
  }
  metrics.confusion.resize(confusion_[0].size());
  for (const std::vector<std::int64_t>& counts : confusion_)
    for (std::size_t i = 0; i < counts.size(); ++i) metrics.confusion[i] += counts[i];
  metrics.loss = metrics.rows == 0 ? 0 : sum / static_cast<double>(metrics.rows);
  return metrics;
}

}  // namespace chop::train

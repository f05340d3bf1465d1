// Counting, and the record of a training in a checkpoint: JSON in which every real number is a text
// that reads back to the same bits, and a fingerprint of settings and data that must agree on
// resume.
#include "train/loop/progress_state.hpp"

#include <cstring>

#include "support/escape.hpp"
#include "support/json.hpp"
#include "support/rng.hpp"
#include "support/text.hpp"
#include "train/train_options.hpp"

namespace chop::train {
namespace {

constexpr const char* kKey = "chop.trainer";

Tree row_of(const EpochMetrics& m) {
  return Tree::List{m.epoch,
                    m.step,
                    exact(m.learning_rate),
                    exact(m.train_loss),
                    exact(m.train_accuracy),
                    exact(m.validation_loss),
                    exact(m.validation_accuracy)};
}

Error damaged(const std::string& what) {
  return Error{.what = cat("the checkpoint's record of the training is damaged: ", what),
               .hint = "train again without --resume, or resume from another checkpoint"};
}

Result<std::int64_t> get_int(const Tree& from, const std::string& key) {
  const std::int64_t* value = from[key].as_integer();
  if (value == nullptr) return damaged(cat("no whole number '", key, "'"));
  return *value;
}

Result<double> real_of(const Tree& from) {
  if (const std::string* text = from.as_text())
    if (const auto value = parse_double(*text)) return *value;
  return damaged("a real number is missing");
}

Result<EpochMetrics> epoch_from(const Tree& row, std::size_t epoch) {
  if (!row.is_list() || row.size() != 7 || row[0] != Tree(epoch) || row[1].as_integer() == nullptr)
    return damaged("an epoch's row");
  EpochMetrics m{.epoch = *row[0].as_integer(), .step = *row[1].as_integer()};
  CH_TRY(m.learning_rate, real_of(row[2]));
  CH_TRY(m.train_loss, real_of(row[3]));
  CH_TRY(m.train_accuracy, real_of(row[4]));
  CH_TRY(m.validation_loss, real_of(row[5]));
  CH_TRY(m.validation_accuracy, real_of(row[6]));
  return m;
}

/// The counters hang together; so none of them can be absurd alone.
Status check(const ProgressState& s) {
  if (s.epoch < 0 || s.batch < 0 || s.step < 0 || s.correct < 0 || s.rows < 0 || s.bad_epochs < 0)
    return damaged("negative counters");
  if (s.epoch != static_cast<std::int64_t>(s.history.size()))
    return damaged(cat(s.epoch, " epochs, but a history of ", s.history.size()));
  if (s.best_epoch < -1 || s.best_epoch >= s.epoch)
    return damaged(cat("a best epoch of ", s.best_epoch, " after ", s.epoch, " epochs"));
  if (s.bad_epochs > s.epoch)
    return damaged(cat(s.bad_epochs, " epochs without a better one after ", s.epoch, " epochs"));
  if (s.correct > s.rows) return damaged(cat(s.correct, " of ", s.rows, " rows correct"));
  if (!std::isfinite(s.loss_sum)) return damaged(cat("a loss of ", exact(s.loss_sum)));
  return {};
}

/// Why a setting may differ that nobody gave.
std::string where_from(const std::string& key) {
  for (const TrainField& option : train_fields())
    if (option.field.name == key && !option.follows.empty())
      return cat("; unless it is given it is ", option.follows);
  return {};
}

Status compare(const Tree& then, const std::map<std::string, std::string>& now) {
  std::vector<std::string> notes;
  for (const auto& [key, value] : now) {
    const std::string was = then[key].is_text() ? from_utf8(*then[key].as_text()) : "not recorded";
    if (was != value) notes.push_back(cat(key, " was ", was, ", is now ", value, where_from(key)));
  }
  if (notes.empty()) return {};
  return Error{
      .what = "cannot resume: the interrupted run had other settings",
      .notes = std::move(notes),
      .hint = "resume with the settings of that run, or use --load to start from its weights"};
}

}  // namespace

void ProgressState::add_batch(double loss, std::int64_t right, std::int64_t batch_rows) {
  ++batch;
  loss_sum += loss * static_cast<double>(batch_rows);
  correct += right;
  rows += batch_rows;
}

EpochMetrics ProgressState::end_epoch(double learning_rate, const Metrics& validation) {
  const auto count = static_cast<double>(std::max<std::int64_t>(1, rows));
  const EpochMetrics metrics{.epoch = epoch,
                             .step = step,
                             .learning_rate = learning_rate,
                             .train_loss = loss_sum / count,
                             .train_accuracy = static_cast<double>(correct) / count,
                             .validation_loss = validation.loss,
                             .validation_accuracy = validation.accuracy(),
                             .is_best = validation.loss < best_loss};
  history.push_back(metrics);
  bad_epochs = metrics.is_best ? 0 : bad_epochs + 1;
  if (metrics.is_best) {
    best_loss = validation.loss;
    best_epoch = epoch;
  }
  ++epoch;
  batch = correct = rows = 0;
  loss_sum = 0;
  return metrics;
}

namespace {

/// A number that another data set of the same size will not have.
std::uint64_t digest(std::uint64_t seed, const Tensor& tensor) {
  const std::byte* bytes = tensor.bytes();
  const std::size_t size = tensor.size_in_bytes();
  std::uint64_t hash = mix64(seed ^ size);
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min(sizeof word, size - at));
    hash = (hash ^ word) * 0x9FB21C651E98DF25;
    hash ^= hash >> 32;
  }
  return hash;
}

std::string digest_of(const Dataset& data) {
  std::uint64_t hash = 0;
  for (const Split* split : {&data.train, &data.validation})
    hash = digest(digest(hash, split->x), split->y);
  return std::to_string(hash);
}

}  // namespace

std::string recorded_name(const Dataset& data) {
  return data.synthetic ? cat(data.name, " (synthetic)") : data.name;
}

std::map<std::string, std::string> fingerprint(const TrainOptions& options, const Dataset& data) {
  std::map<std::string, std::string> print = fingerprint(options);
  print.merge(std::map<std::string, std::string>{
      {"dataset", recorded_name(data)},
      {"contents of the data", digest_of(data)},
      {"train rows", std::to_string(data.train.rows())},
      {"validation rows", std::to_string(data.validation.rows())}});
  return print;
}

std::map<std::string, std::string> to_info(const ProgressState& state,
                                           const std::map<std::string, std::string>& print) {
  Tree json;
  json["epoch"] = state.epoch;
  json["batch"] = state.batch;
  json["step"] = state.step;
  json["loss_sum"] = exact(state.loss_sum);
  json["correct"] = state.correct;
  json["rows"] = state.rows;
  json["best_epoch"] = state.best_epoch;
  json["best_loss"] = exact(state.best_loss);
  json["bad_epochs"] = state.bad_epochs;
  json["finished"] = state.finished;
  json["history"] = Tree::list();
  for (const EpochMetrics& row : state.history) json["history"].push(row_of(row));
  // A data set may be called after a file whose name is not UTF-8.
  for (const auto& [key, value] : print) json["settings"][key] = to_utf8(value);
  return {{kKey, to_json(json)}};
}

Result<ProgressState> from_info(const std::map<std::string, std::string>& info,
                                const std::map<std::string, std::string>& print) {
  const auto found = info.find(kKey);
  if (found == info.end())
    return Error{.what = "the checkpoint is not one of an interrupted training",
                 .hint = "--resume needs last.ckpt; use --load to start from its weights"};
  const Result<Tree> parsed = parse_json(found->second, kKey);
  if (!parsed || !parsed.value().contains("settings") || !parsed.value()["history"].is_list())
    return damaged("not readable");
  const Tree& json = parsed.value();
  CH_CHECK(compare(json["settings"], print));
  ProgressState state;
  CH_TRY(state.epoch, get_int(json, "epoch"));
  CH_TRY(state.batch, get_int(json, "batch"));
  CH_TRY(state.step, get_int(json, "step"));
  CH_TRY(state.correct, get_int(json, "correct"));
  CH_TRY(state.rows, get_int(json, "rows"));
  CH_TRY(state.best_epoch, get_int(json, "best_epoch"));
  CH_TRY(state.bad_epochs, get_int(json, "bad_epochs"));
  CH_TRY(state.loss_sum, real_of(json["loss_sum"]));
  CH_TRY(state.best_loss, real_of(json["best_loss"]));
  if (json["finished"].as_flag() == nullptr) return damaged("whether it is finished");
  state.finished = *json["finished"].as_flag();
  double least = std::numeric_limits<double>::infinity();
  for (const Tree& row : *json["history"].as_list()) {
    CH_TRY(EpochMetrics metrics, epoch_from(row, state.history.size()));
    metrics.is_best = metrics.validation_loss < least;
    least = std::min(least, metrics.validation_loss);
    state.history.push_back(metrics);
  }
  CH_CHECK(check(state));
  return state;
}

}  // namespace chop::train

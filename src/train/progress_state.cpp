#include "train/progress_state.hpp"

#include <nlohmann/json.hpp>

#include "support/text.hpp"

namespace chop {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kKey = "chop.trainer";

Json to_json(const EpochMetrics& m) {
  return Json::array({m.epoch, m.step, exact(m.learning_rate), exact(m.train_loss),
                      exact(m.train_accuracy), exact(m.validation_loss),
                      exact(m.validation_accuracy)});
}

Error damaged(const std::string& what) {
  return Error{.what = cat("the checkpoint's record of the training is damaged: ", what),
               .hint = "train again without --resume, or resume from another checkpoint"};
}

Result<std::int64_t> get_int(const Json& from, const std::string& key) {
  if (!from.contains(key) || !from[key].is_number_integer())
    return damaged(cat("no whole number '", key, "'"));
  return from[key].get<std::int64_t>();
}

Result<double> real_of(const Json& from) {
  if (from.is_string())
    if (const auto value = parse_double(from.get<std::string>())) return *value;
  return damaged("a real number is missing");
}

Result<EpochMetrics> epoch_from(const Json& row) {
  if (!row.is_array() || row.size() != 7 || !row[0].is_number_integer() ||
      !row[1].is_number_integer())
    return damaged("an epoch's row");
  EpochMetrics m{.epoch = row[0].get<std::int64_t>(), .step = row[1].get<std::int64_t>()};
  CH_TRY(m.learning_rate, real_of(row[2]));
  CH_TRY(m.train_loss, real_of(row[3]));
  CH_TRY(m.train_accuracy, real_of(row[4]));
  CH_TRY(m.validation_loss, real_of(row[5]));
  CH_TRY(m.validation_accuracy, real_of(row[6]));
  return m;
}

Status compare(const Json& then, const std::map<std::string, std::string>& now) {
  std::vector<std::string> notes;
  for (const auto& [key, value] : now) {
    const std::string was =
        then.contains(key) && then[key].is_string() ? then[key].get<std::string>() : "not recorded";
    if (was != value) notes.push_back(cat(key, " was ", was, ", is now ", value));
  }
  if (notes.empty()) return {};
  return Error{
      .what = "cannot resume: the interrupted run had other settings",
      .notes = std::move(notes),
      .hint = "resume with the settings of that run, or use --load to start from its weights"};
}

}  // namespace

std::map<std::string, std::string> fingerprint(const TrainOptions& o, const Dataset& data) {
  return {{"batch_size", std::to_string(o.batch_size)},
          {"accumulate_grad_batches", std::to_string(o.accumulate_grad_batches)},
          {"training_optimizer", o.optimiser},
          {"learning_rate", exact(o.settings.learning_rate)},
          {"weight_decay", exact(o.settings.weight_decay)},
          {"momentum", exact(o.settings.momentum)},
          {"nesterov", o.settings.nesterov ? "true" : "false"},
          {"t_max", std::to_string(o.t_max > 0 ? o.t_max : o.max_epochs)},
          {"eta_min", o.eta_min ? exact(*o.eta_min) : "default"},
          {"seed", std::to_string(o.seed)},
          {"dataset", data.name},
          {"train rows", std::to_string(data.train.rows())},
          {"validation rows", std::to_string(data.validation.rows())}};
}

std::map<std::string, std::string> to_info(const ProgressState& state,
                                           const std::map<std::string, std::string>& print) {
  Json json;
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
  json["history"] = Json::array();
  for (const EpochMetrics& row : state.history) json["history"].push_back(to_json(row));
  json["settings"] = print;
  return {{kKey, json.dump()}};
}

Result<ProgressState> from_info(const std::map<std::string, std::string>& info,
                                const std::map<std::string, std::string>& print) {
  const auto found = info.find(kKey);
  if (found == info.end())
    return Error{.what = "the checkpoint is not one of an interrupted training",
                 .hint = "--resume needs last.ckpt; use --load to start from its weights"};
  const Json json = Json::parse(found->second, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("settings") || !json.contains("history") ||
      !json["history"].is_array())
    return damaged("not readable");
  CH_CHECK(compare(json["settings"], print));
  ProgressState state;
  CH_TRY(state.epoch, get_int(json, "epoch"));
  CH_TRY(state.batch, get_int(json, "batch"));
  CH_TRY(state.step, get_int(json, "step"));
  CH_TRY(state.correct, get_int(json, "correct"));
  CH_TRY(state.rows, get_int(json, "rows"));
  CH_TRY(state.best_epoch, get_int(json, "best_epoch"));
  CH_TRY(state.bad_epochs, get_int(json, "bad_epochs"));
  CH_TRY(state.loss_sum, real_of(json.value("loss_sum", Json())));
  CH_TRY(state.best_loss, real_of(json.value("best_loss", Json())));
  state.finished = json.value("finished", false);
  for (const Json& row : json["history"]) {
    CH_TRY(EpochMetrics metrics, epoch_from(row));
    state.history.push_back(metrics);
  }
  if (state.epoch < 0 || state.batch < 0 || state.step < 0) return damaged("negative counters");
  return state;
}

}  // namespace chop

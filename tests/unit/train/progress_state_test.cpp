// The record of a training in a checkpoint: exact there and back, and never trusted.
#include "train/loop/progress_state.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/train/networks.hpp"

namespace chop {
namespace {

using Json = nlohmann::ordered_json;
const std::map<std::string, std::string> kPrint = {{"seed", "1"}};

/// In the second epoch; the first took 4 steps.
ProgressState some_state() {
  return {.epoch = 1,
          .batch = 2,
          .step = 6,
          .loss_sum = 0.1 + 0.2,
          .correct = 20,
          .rows = 32,
          .best_epoch = 0,
          .best_loss = 1.0 / 3,
          .bad_epochs = 0,
          .history = {{.epoch = 0,
                       .step = 4,
                       .learning_rate = 1e-3,
                       .train_loss = 2.0 / 3,
                       .train_accuracy = 0.7,
                       .validation_loss = 1.0 / 3,
                       .validation_accuracy = 0.6}}};
}

std::string text_of(const ProgressState& state) {
  return to_info(state, kPrint).at("chop.trainer");
}

std::string refusal(const std::string& text) {
  const auto state = from_info({{"chop.trainer", text}}, kPrint);
  if (state) return "accepted";
  const std::string start = "the checkpoint's record of the training is damaged: ";
  const std::string& what = state.error().what;
  return what.starts_with(start) ? "damaged: " + what.substr(start.size()) : what;
}

/// What is said to the record with one entry replaced.
std::string refusal(const std::string& key, const Json& value) {
  Json json = Json::parse(text_of(some_state()));
  json[key] = value;
  return refusal(json.dump());
}

TEST(ProgressState, ReadsBackToTheBit) {
  const ProgressState again = from_info(to_info(some_state(), kPrint), kPrint).value();
  EXPECT_EQ(text_of(again), text_of(some_state()));
  EXPECT_EQ(again.loss_sum, 0.1 + 0.2);
  EXPECT_EQ(again.history[0].train_loss, 2.0 / 3);
  const ProgressState fresh = from_info(to_info({}, kPrint), kPrint).value();
  EXPECT_EQ(fresh.best_epoch, -1);
  EXPECT_EQ(fresh.best_loss, std::numeric_limits<double>::infinity());
}

TEST(ProgressState, IsRefusedWhenItIsNotJson) {
  for (const std::string text : {"", "{", "nonsense", "[]", "7", "null", "{}", "\xff\xfe",
                                 R"({"settings": {}})", R"({"settings": {}, "history": 3})"})
    EXPECT_TRUE(refusal(text).starts_with("damaged: ")) << text << " gave " << refusal(text);
  EXPECT_TRUE(refusal(std::string(100'000, '[')).starts_with("damaged: "));
}

TEST(ProgressState, IsRefusedWithoutAnyOneOfItsKeys) {
  const Json whole = Json::parse(text_of(some_state()));
  for (const auto& item : whole.items()) {
    Json json = whole;
    json.erase(item.key());
    EXPECT_NE(refusal(json.dump()), "accepted") << item.key();
  }
}

TEST(ProgressState, IsRefusedWithAValueOfAnotherKind) {
  const Json whole = Json::parse(text_of(some_state()));
  const std::vector<Json> others = {nullptr,        "text",           1.5,
                                    Json::object(), Json::array({1}), Json::array({Json::array()})};
  for (const auto& item : whole.items())
    for (const Json& other : others) {
      if (item.value().type() == other.type() && item.key() == "settings") continue;
      EXPECT_NE(refusal(item.key(), other), "accepted") << item.key() << " = " << other;
    }
}

TEST(ProgressState, IsRefusedWithNumbersThatCannotBe) {
  const std::vector<std::string> keys = {"epoch", "batch",      "step",      "correct",
                                         "rows",  "best_epoch", "bad_epochs"};
  for (const std::string& key : keys) {
    EXPECT_NE(refusal(key, -5), "accepted") << key;
    EXPECT_NE(refusal(key, std::numeric_limits<std::int64_t>::min()), "accepted") << key;
    EXPECT_NE(refusal(key, std::numeric_limits<std::uint64_t>::max()), "accepted") << key;
  }
  // The counters hang together, so that none can be huge alone.
  EXPECT_EQ(refusal("epoch", 2), "damaged: 2 epochs, but a history of 1");
  EXPECT_EQ(refusal("best_epoch", 1), "damaged: a best epoch of 1 after 1 epochs");
  EXPECT_EQ(refusal("correct", 33), "damaged: 33 of 32 rows correct");
  EXPECT_EQ(refusal("loss_sum", "nan"), "damaged: a loss of nan");
  EXPECT_EQ(refusal("step", -1), "damaged: negative counters");
  EXPECT_EQ(refusal("bad_epochs", 5), "damaged: 5 epochs without a better one after 1 epochs");
}

TEST(ProgressState, IsRefusedWithADamagedHistory) {
  const Json row = Json::parse(text_of(some_state()))["history"][0];
  for (std::size_t i = 0; i < row.size(); ++i) {
    Json bad = row;
    bad[i] = nullptr;
    EXPECT_NE(refusal("history", Json::array({bad})), "accepted") << i;
  }
  Json longer = row;
  longer.push_back(1);
  EXPECT_EQ(refusal("history", Json::array({longer})), "damaged: an epoch's row");
  Json shifted = row;
  shifted[0] = 3;
  EXPECT_EQ(refusal("history", Json::array({shifted})), "damaged: an epoch's row");
}

TEST(ProgressState, IsComparedWithTheSettingsOfNow) {
  const auto info = to_info(some_state(), {{"seed", "1"}, {"gone", "x"}});
  const auto same = from_info(info, kPrint);
  EXPECT_TRUE(same) << "what is no setting any more does not matter";
  const auto other = from_info(info, {{"seed", "2"}, {"new", "y"}});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().notes,
            (std::vector<std::string>{"new was not recorded, is now y", "seed was 1, is now 2"}));
  const auto shorter = from_info(to_info(some_state(), {{"t_max", "2"}}), {{"t_max", "1"}});
  EXPECT_EQ(shorter.error().notes,
            std::vector<std::string>{"t_max was 2, is now 1; unless it is given it is max_epochs"});
}

TEST(ProgressState, NamesEverySettingThatDecidesTheBits) {
  const Dataset data = test::toy_data(8);
  const auto base = fingerprint({}, data);
  const auto differs = [&](auto change) {
    TrainOptions options;
    change(options);
    return fingerprint(options, data) != base;
  };
  EXPECT_TRUE(differs([](TrainOptions& o) { o.max_epochs = 3; })) << "through the cosine";
  EXPECT_TRUE(differs([](TrainOptions& o) { o.max_steps = 3; }));
  EXPECT_TRUE(differs([](TrainOptions& o) { o.batch_size = 3; }));
  EXPECT_TRUE(differs([](TrainOptions& o) { o.accumulate_grad_batches = 3; }));
  EXPECT_TRUE(differs([](TrainOptions& o) { o.optimiser = "sgd"; }));
  EXPECT_TRUE(differs([](TrainOptions& o) { o.settings.learning_rate = 3; }));
  EXPECT_TRUE(differs([](TrainOptions& o) { o.settings.weight_decay = 3; }));
  EXPECT_TRUE(differs([](TrainOptions& o) { o.settings.beta1 = 0.5; }));
  EXPECT_TRUE(differs([](TrainOptions& o) { o.settings.beta2 = 0.5; }));
  EXPECT_TRUE(differs([](TrainOptions& o) { o.settings.eps = 0.5; }));
  EXPECT_TRUE(differs([](TrainOptions& o) { o.settings.momentum = 0.5; }));
  EXPECT_TRUE(differs([](TrainOptions& o) { o.settings.nesterov = false; }));
  EXPECT_TRUE(differs([](TrainOptions& o) { o.t_max = 3; }));
  EXPECT_TRUE(differs([](TrainOptions& o) { o.eta_min = 0.0; }));
  EXPECT_TRUE(differs([](TrainOptions& o) { o.seed = 3; }));
  EXPECT_TRUE(differs([](TrainOptions& o) { o.most_batches = 3; }));
  EXPECT_FALSE(differs([](TrainOptions& o) { o.threads = 3; }));
  EXPECT_FALSE(differs([](TrainOptions& o) { o.log_every_n_steps = 3; }));
  EXPECT_NE(fingerprint({}, test::toy_data(9)), base);
}

}  // namespace
}  // namespace chop

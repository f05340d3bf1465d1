// Workers and processes that share a study: every trial is run once, whatever happens to whom.
#include "search/engine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "search/results.hpp"
#include "search/study_identity.hpp"
#include "support/json.hpp"
#include "support/search_problems.hpp"
#include "unit/io/temp_folder.hpp"

namespace chop {
namespace {

using test::kTinySpace;
using test::kTwoMetrics;
using test::random_jets;
using test::search_config;
using test::zoo;

const std::string kSum = cat(kTinySpace, R"(
[search.strategy.sw_runner.basic_evaluation]
[search.strategy.metrics.loss]
direction = "minimize"
[search.strategy.setup]
)");

/// A problem with all it refers to.
struct Bench {
  Graph graph = zoo("jsc-tiny");
  Dataset data = random_jets();
  SearchConfig config;
  std::unique_ptr<SearchProblem> problem;
  std::unique_ptr<Sampler> sampler;
  std::unique_ptr<Pruner> pruner;

  explicit Bench(const std::string& toml, int workers = 1, std::uint64_t seed = 1)
      : config(search_config(toml).value()) {
    config.n_jobs = workers;
    problem = SearchProblem::make(config, graph, data, {.batch_size = 64}).value();
    sampler = config.sampler
                  ->make({problem->space(), config.directions(), config.metrics, seed},
                         config.sampler_args)
                  .value();
    if (config.pruner != nullptr)
      pruner = config.pruner->make(config.directions()[0], config.pruner_args).value();
  }

  StudyInfo info() const { return describe_study("study", *problem, graph, data); }

  EngineOutcome run(StudyStore& store, std::int64_t trials, EngineObserver observer = {},
                    SessionOptions session_options = {.heartbeat = 0}) {
    EXPECT_TRUE(open_study(store, info(), problem->space()));
    auto session = store.join("study", session_options).value();
    Engine engine(*problem, *sampler, pruner.get(), *session,
                  {.n_trials = trials, .workers = config.n_jobs, .session = session_options},
                  observer);
    return engine.run().value();
  }
};

std::string with_sampler(const std::string& name) {
  return cat(kTinySpace, kTwoMetrics, "[search.strategy.setup]\nsampler = \"", name, "\"\n");
}

std::map<TrialState, int> states(const std::vector<Trial>& trials) {
  std::map<TrialState, int> count;
  for (const Trial& trial : trials) ++count[trial.state];
  return count;
}

/// Numbers, parameters and values: all but times.
std::string told(const std::vector<Trial>& trials) {
  std::string text;
  for (const Trial& trial : trials) {
    text += cat(trial.number, " ", name_of(trial.state), ":");
    for (const TrialParameter& parameter : trial.parameters) text += cat(" ", parameter.value);
    for (const double value : trial.values) text += cat(" ", value);
    text += "\n";
  }
  return text;
}

TEST(Engine, GridFindsTheTrueFront) {
  auto store = open_store("memory").value();
  Bench bench(with_sampler("brute_force"));
  const EngineOutcome outcome = bench.run(*store, 100);
  EXPECT_EQ(outcome.trials.size(), 18U);
  EXPECT_TRUE(outcome.exhausted);
  // Straight from the definition.
  std::set<std::vector<double>> front;
  for (const Trial& a : outcome.trials) {
    bool beaten = false;
    for (const Trial& b : outcome.trials)
      beaten = beaten ||
               (b.values[0] >= a.values[0] && b.values[1] <= a.values[1] && b.values != a.values);
    if (!beaten) front.insert(a.values);
  }
  std::set<std::vector<double>> found;
  for (const Trial* trial : best_of(outcome.trials, bench.config.directions()))
    found.insert(trial->values);
  EXPECT_EQ(found, front);
}

TEST(Engine, EverySamplerThatPromisesItIsTheSameForAnyNumberOfWorkers) {
  for (const SamplerDef& def : all_samplers()) {
    if (def.reproducible != "for any number of workers") continue;
    std::string one;
    for (const int workers : {1, 2, 3}) {
      auto store = open_store("memory").value();
      Bench bench(with_sampler(std::string(def.name)), workers);
      const std::string text = told(bench.run(*store, 16).trials);
      if (workers == 1) one = text;
      EXPECT_EQ(text, one) << def.name << " with " << workers;
    }
    EXPECT_FALSE(one.empty());
  }
}

TEST(Engine, OneWorkerGivesTheSameTwiceAndAfterAStop) {
  for (const SamplerDef& def : all_samplers()) {
    auto store = open_store("memory").value();
    Bench whole(with_sampler(std::string(def.name)));
    const std::string text = told(whole.run(*store, 14).trials);
    const testing::TempFolder folder;
    auto file = open_store((folder / "a.db").string()).value();
    Bench part(with_sampler(std::string(def.name)));
    part.run(*file, 5);
    Bench rest(with_sampler(std::string(def.name)));
    EXPECT_EQ(told(rest.run(*file, 14).trials), text) << def.name;
    EXPECT_EQ(told(file->read("study").value().trials), text) << def.name;
  }
}

TEST(Engine, WorkersThatShareAStudyRunEachTrialOnce) {
  const testing::TempFolder folder;
  const std::string url = (folder / "shared.db").string();
  std::atomic<std::int64_t> ran = 0;
  std::vector<std::thread> processes;
  for (int p = 0; p < 3; ++p)
    processes.emplace_back([&ran, &url] {
      auto store = open_store(url).value();
      Bench bench(with_sampler("random"), 2);
      ran += bench.run(*store, 40).ran;
    });
  for (std::thread& process : processes) process.join();
  const Study study = open_store(url).value()->read("study").value();
  EXPECT_EQ(study.trials.size(), 40U);
  EXPECT_EQ(ran, 40);
  EXPECT_EQ(states(study.trials)[TrialState::Complete], 40);
  // Points follow the numbers, not the worker that ran them.
  auto alone = open_store("memory").value();
  Bench bench(with_sampler("random"));
  EXPECT_EQ(told(bench.run(*alone, 40).trials), told(study.trials));
}

TEST(Engine, TrialsWhoseWorkerDiedAreTriedAgain) {
  const testing::TempFolder folder;
  const std::string url = (folder / "dead.db").string();
  const SessionOptions quick{.heartbeat = 0.1, .grace = 0.4};
  auto store = open_store(url).value();
  Bench bench(with_sampler("random"));
  ASSERT_TRUE(open_study(*store, bench.info(), bench.problem->space()));
  {
    auto dead = store->join("study", quick).value();
    dead->begin().value();
    Trial trial{.number = 0, .started = local_now()};
    trial.parameters = parameters_of(bench.problem->space(), {1, 2, 0});
    ASSERT_TRUE(dead->commit({.added = {trial}}));
    ASSERT_TRUE(dead->flush());
  }
  std::vector<std::string> notes;
  EngineObserver observer;
  observer.on_note = [&notes](const std::string& note) { notes.push_back(note); };
  const EngineOutcome outcome = bench.run(*store, 4, observer, quick);
  EXPECT_EQ(notes.size(), 1U);
  EXPECT_EQ(outcome.trials.size(), 5U);
  EXPECT_EQ(states(outcome.trials)[TrialState::Complete], 4);
  EXPECT_EQ(outcome.trials[0].state, TrialState::Fail);
  int again = 0;
  for (const Trial& trial : outcome.trials)
    if (trial.system.contains("failed_trial")) {
      ++again;
      EXPECT_EQ(trial.system.at("failed_trial"), "0");
      EXPECT_EQ(trial.parameters, outcome.trials[0].parameters);
    }
  EXPECT_EQ(again, 1);
}

TEST(Engine, DoesNotWaitForSurplusTrialsOfOtherProcesses) {
  const testing::TempFolder folder;
  const std::string url = (folder / "a.db").string();
  auto store = open_store(url).value();
  Bench bench(with_sampler("random"));
  const SessionOptions usual;
  bench.run(*store, 3);
  auto their_store = open_store(url).value();
  auto other = their_store->join("study", usual).value();  // it lives on, with trials 3 to 7
  other->begin().value();
  StudyChanges more;
  for (std::int64_t number = 3; number < 8; ++number) {
    more.added.push_back({.number = number, .started = local_now()});
    more.added.back().parameters = parameters_of(bench.problem->space(), {1, 2, 0});
  }
  ASSERT_TRUE(other->commit(std::move(more)));
  ASSERT_TRUE(other->flush());
  int asked = 0;
  EngineObserver observer;
  observer.stop_requested = [&asked] { return ++asked > 5; };
  EXPECT_FALSE(bench.run(*store, 3, observer, usual).stopped);
  asked = 0;
  EXPECT_TRUE(bench.run(*store, 4, observer, usual).stopped) << "a fourth trial is one of theirs";
}

TEST(Engine, GivesUpOnTrialsThatEndEveryWorker) {
  Bench bench(with_sampler("random"));
  const testing::TempFolder folder;
  auto file = open_store((folder / "a.db").string()).value();
  ASSERT_TRUE(open_study(*file, bench.info(), bench.problem->space()));
  const SessionOptions quick{.heartbeat = 0.05, .grace = 0.2};
  {
    auto dead = file->join("study", quick).value();
    dead->begin().value();
    Trial trial{.number = 0, .started = local_now()};
    trial.parameters = parameters_of(bench.problem->space(), {1, 2, 0});
    trial.system["retry_history"] = "[7, 8, 9]";
    ASSERT_TRUE(dead->commit({.added = {trial}}));
    ASSERT_TRUE(dead->flush());
  }
  const EngineOutcome outcome = bench.run(*file, 2, {}, quick);
  EXPECT_EQ(outcome.trials.size(), 2U);  // nobody stands in for the first
  EXPECT_EQ(outcome.trials[0].state, TrialState::Fail);
}

TEST(Engine, RunsWhatSomebodyAskedForFirst) {
  auto store = open_store("memory").value();
  Bench bench(with_sampler("random"));
  ASSERT_TRUE(open_study(*store, bench.info(), bench.problem->space()));
  Trial wish{.state = TrialState::Waiting};
  wish.system["fixed_params"] = R"({"seq_blocks_2/config/weight_width": 4})";
  ASSERT_TRUE(store->append("study", {wish}));
  const EngineOutcome outcome = bench.run(*store, 3);
  ASSERT_EQ(outcome.trials.size(), 3U);
  EXPECT_EQ(outcome.trials[0].state, TrialState::Complete);
  EXPECT_EQ(outcome.trials[0].parameters.size(), 3U);
  EXPECT_EQ(outcome.trials[0].parameters[1].value, 1);
}

TEST(Engine, CompleteTrialsWithoutAValuePerObjectiveCountAsFailed) {
  for (const SamplerDef& def : all_samplers()) {
    auto store = open_store("memory").value();
    Bench bench(with_sampler(std::string(def.name)));
    ASSERT_TRUE(open_study(*store, bench.info(), bench.problem->space()));
    for (const std::vector<double>& values : {std::vector<double>{}, {0.5}, {0.5, 4, 4, 4, 4, 4}}) {
      Trial trial{.state = TrialState::Complete, .values = values};
      trial.parameters = parameters_of(bench.problem->space(), {1, 2, 0});
      ASSERT_TRUE(store->append("study", {trial}));
    }
    const EngineOutcome outcome = bench.run(*store, 8);
    EXPECT_EQ(states(outcome.trials)[TrialState::Fail], 3) << def.name;
    EXPECT_EQ(states(outcome.trials)[TrialState::Complete], 5) << def.name;
  }
}

TEST(Engine, EndsHopelessTrialsEarly) {
  const testing::TempFolder folder;
  auto store = open_store((folder / "a.db").string()).value();
  Bench bench(cat(kSum, "pruner = \"median\"\nsampler = \"random\"\n",
                  "[search.strategy.pruner]\nn_startup_trials = 3\n"));
  const EngineOutcome outcome = bench.run(*store, 30);
  auto count = states(outcome.trials);
  EXPECT_GT(count[TrialState::Pruned], 0);
  EXPECT_GT(count[TrialState::Complete], 3);
  EXPECT_EQ(count[TrialState::Pruned] + count[TrialState::Complete], 30);
  const Study study = store->read("study").value();
  for (const Trial& trial : study.trials) {
    ASSERT_FALSE(trial.reports.empty());
    if (trial.state == TrialState::Pruned) {
      EXPECT_EQ(trial.values, std::vector<double>{trial.reports.rbegin()->second});
    }
  }
}

TEST(Engine, StopsAndGoesOnWhereItWas) {
  const std::string toml = cat(kTinySpace, R"(
[search.strategy.sw_runner.basic_train]
max_epochs = 30
[search.strategy.metrics.accuracy]
direction = "maximize"
[search.strategy.setup]
sampler = "random"
)");
  auto store = open_store("memory").value();
  Bench bench(toml);
  std::atomic<int> asked = 0;
  EngineObserver observer;
  observer.stop_requested = [&asked] { return ++asked > 400; };
  const EngineOutcome stopped = bench.run(*store, 3, observer);
  EXPECT_TRUE(stopped.stopped);
  auto count = states(stopped.trials);
  EXPECT_EQ(count[TrialState::Fail], 1);
  EXPECT_EQ(count[TrialState::Waiting], 1);
  Bench rest(toml);
  const EngineOutcome outcome = rest.run(*store, 3);
  count = states(outcome.trials);
  EXPECT_EQ(count[TrialState::Complete], 3);
  EXPECT_EQ(outcome.trials.size(), 4U);
}

TEST(Engine, TrainingThatDivergesFailsOnce) {
  Bench bench(R"(
[search.search_space]
name = "train/hyper_parameters"
[search.search_space.train]
learning_rate = [1e38, 1e37]
[search.strategy.sw_runner.basic_train]
max_epochs = 1
batch_size = 600
optimizer = "sgd"
[search.strategy.metrics.accuracy]
direction = "maximize"
[search.strategy.setup]
sampler = "random"
)");
  auto store = open_store("memory").value();
  int ended = 0;
  EngineObserver observer;
  observer.on_trial = [&ended](const Trial&) { ++ended; };
  observer.stop_requested = [&ended] { return ended >= 10; };  // it would go on for ever
  const EngineOutcome outcome = bench.run(*store, 3, observer);
  EXPECT_FALSE(outcome.stopped);
  ASSERT_EQ(outcome.trials.size(), 3U);
  for (const Trial& trial : outcome.trials) {
    EXPECT_EQ(trial.state, TrialState::Fail);
    EXPECT_FALSE(trial.user.contains("interrupted"));
    EXPECT_NE(trial.user.at("error").find("not a number"), std::string::npos);
  }
}

TEST(Results, AttributesThatAreNoJsonStayTexts) {
  Trial trial{.number = 0, .state = TrialState::Complete, .values = {1}};
  trial.user = {{"loss", "NaN"}, {"sampled_config", "{\"a\": Infinity}"}, {"fine", "[1, 2]"}};
  const Tree log = log_tree({&trial, 1});
  EXPECT_EQ(log["0"]["user_attrs_loss"], Tree("NaN"));
  EXPECT_EQ(log["0"]["user_attrs_fine"].size(), 2U);
  EXPECT_EQ(best_tree({&trial})["0"]["sampled_config"], Tree("{\"a\": Infinity}"));
  EXPECT_EQ(parse_json(to_json(log), "the log").value(), log);
}

TEST(Results, NamesFromElsewhereMayBeNoUtf8) {
  const std::string text = fixed_parameters(
      {{"a\xff", Distribution::integer(1, 4), 2}, {"b", Distribution::real(0, 1), 1}});
  EXPECT_TRUE(parse_json(text, "parameters")) << text;
}

TEST(Results, PointsThatDifferLittleAreDifferent) {
  const Distribution rate = Distribution::real(0, 1);
  std::vector<Trial> trials;
  for (const double value : {0.1234567, 0.1234568})
    trials.push_back({.number = static_cast<std::int64_t>(trials.size()),
                      .state = TrialState::Complete,
                      .parameters = {{"rate", rate, value}},
                      .values = {value, -value}});
  const std::vector<Direction> directions(2, Direction::Minimise);
  EXPECT_EQ(best_of(trials, directions).size(), 2U);
}

/// A trial that stands in for a failed one is not in the way of those that follow.
TEST(Engine, TriesTheSamePointsAfterAStop) {
  for (const char* sampler : {"random", "qmc", "nsgaii", "tpe"}) {
    const std::string toml = cat(kTinySpace, R"(
[search.strategy.sw_runner.basic_train]
max_epochs = 2
[search.strategy.metrics.accuracy]
direction = "maximize"
[search.strategy.setup]
sampler = ")",
                                 sampler, "\"\n");
    const auto points = [](const std::vector<Trial>& trials) {
      std::vector<std::vector<double>> found;
      for (const Trial& trial : trials) {
        if (trial.state != TrialState::Complete) continue;
        found.emplace_back();
        for (const TrialParameter& parameter : trial.parameters)
          found.back().push_back(parameter.value);
      }
      return found;
    };
    auto whole = open_store("memory").value();
    const auto expected = points(Bench(toml).run(*whole, 8).trials);
    auto store = open_store("memory").value();
    Bench bench(toml);
    int asked = 0;
    EngineObserver observer;
    observer.stop_requested = [&asked] { return ++asked > 30; };
    EXPECT_EQ(states(bench.run(*store, 8, observer).trials)[TrialState::Waiting], 1) << sampler;
    EXPECT_EQ(points(Bench(toml).run(*store, 8).trials), expected) << sampler;
  }
}

TEST(Study, OfAnotherSpaceIsRefused) {
  auto store = open_store("memory").value();
  Bench bench(with_sampler("random"));
  bench.run(*store, 2);
  const auto refusal = [&store](const std::string& toml) {
    Bench other(toml);
    const Status status = open_study(*store, other.info(), other.problem->space());
    return status ? "" : to_string(status.error());
  };
  const auto with = [](const std::string& what, const std::string& by) {
    std::string text = with_sampler("random");
    return text.replace(text.find(what), what.size(), by);
  };
  EXPECT_EQ(refusal(with_sampler("tpe")), "");  // another sampler may go on
  EXPECT_NE(refusal(with("[2, 4, 8]", "[2, 4, 6]")).find("seq_blocks_2/config/weight_width"),
            std::string::npos);
  EXPECT_NE(refusal(with("[4, 8]", "8")).find("seq_blocks_2/config/data_in_width"),
            std::string::npos);
  EXPECT_NE(refusal(with("\"maximize\"", "\"minimize\"")).find("search.strategy.metrics"),
            std::string::npos);
  EXPECT_NE(refusal(with("scale = 0.2", "scale = 0.3")).find("search.strategy.metrics"),
            std::string::npos);
  EXPECT_NE(refusal(cat(with_sampler("random"),
                        "[search.strategy.sw_runner.basic_evaluation]\nnum_samples = 100\n"))
                .find("search.strategy.sw_runner"),
            std::string::npos);
  const std::string coarse =
      refusal(with("data_in_frac_width = [\"NA\"]", "data_in_frac_width = 1"));
  EXPECT_NE(coarse.find("seq_blocks_2/config/data_in_frac_width always null, here it is 1"),
            std::string::npos)
      << coarse;
  EXPECT_NE(refusal(with("by = \"name\"", "calibration = \"kl\"")).find("setup/calibration"),
            std::string::npos);
  Bench louder(with_sampler("random"));
  louder.data.validation.x.mutable_data<float>()[0] += 1;
  const Status rows = open_study(*store, louder.info(), louder.problem->space());
  ASSERT_FALSE(rows);
  EXPECT_NE(to_string(rows.error()).find("dataset: "), std::string::npos);
  Bench heavier(with_sampler("random"));
  heavier.graph.parameters()[0].value.mutable_data<float>()[0] += 1;
  const Status weights = open_study(*store, heavier.info(), heavier.problem->space());
  ASSERT_FALSE(weights);
  EXPECT_NE(to_string(weights.error()).find("load_name"), std::string::npos);
}

}  // namespace
}  // namespace chop

// The loop of a search. Each worker thread repeats: begin a transaction on the study, learn what
// other processes changed, store the trial it has finished, ask the sampler for the next one,
// commit, evaluate it. Any number of processes may do the same with one study. A trial whose worker
// died (its heartbeat stopped) is marked failed and added again, with the same parameters, at most
// three times.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>

#include "search/evaluation/problem.hpp"
#include "search/store/store.hpp"

namespace chop::search {

struct EngineOptions {
  std::int64_t n_trials = 20;          ///< that the study should have in all
  int workers = 1;                     ///< trials at a time
  std::optional<double> timeout = {};  ///< seconds after which no further trial begins
  SessionOptions session = {};
};

/// What the caller hears; every member may be empty. Calls come one at a time, but for
/// stop_requested, which workers call whenever they like.
struct EngineObserver {
  /// After every trial that ended, of other processes too.
  std::function<void(const Trial&)> on_trial = {};
  std::function<void(const std::string&)> on_note = {};
  std::function<bool()> stop_requested = {};
};

struct EngineOutcome {
  std::vector<Trial> trials = {};  ///< of the whole study, by number
  std::int64_t ran = 0;            ///< by this process
  double seconds = 0;
  bool stopped = false;    ///< by stop_requested
  bool timed_out = false;  ///< with trials left to run
  bool exhausted = false;  ///< the sampler has nothing left to try
};

class Engine {
 public:
  Engine(SearchProblem& problem, Sampler& sampler, const Pruner* pruner, StudySession& session,
         const EngineOptions& options, const EngineObserver& observer);
  Result<EngineOutcome> run();

 private:
  enum class Next : std::uint8_t { Try, Wait, End };
  struct Turn {
    Next next = Next::End;
    Trial trial = {};
    Point point = {};
  };

  void work(int worker);
  /// Stores what a worker finished and takes the next trial; the mutex is held.
  Result<Turn> exchange(const std::optional<Trial>& finished);
  void learn(const Trial& trial);
  void give_up_on(std::int64_t number, StudyChanges& changes);
  Result<Turn> choose(StudyChanges& changes);
  Result<Turn> take_waiting(std::int64_t number, StudyChanges& changes);
  void begin(Turn& turn, Point point);
  void put(const Trial& trial, StudyChanges& changes);
  bool may_begin() const;
  bool others_run() const;
  Trial evaluate(const Turn& turn, int worker);
  bool should_prune(std::int64_t number, std::int64_t step, double value);
  bool stop_requested() const { return observer_.stop_requested && observer_.stop_requested(); }
  double seconds() const;

  SearchProblem& problem_;
  Sampler& sampler_;
  const Pruner* pruner_;
  StudySession& session_;
  EngineOptions options_;
  EngineObserver observer_;
  std::size_t objectives_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point changed_ =
      began_;  ///< when other processes last changed something

  std::mutex mutex_;  ///< of everything below, and of the session
  std::condition_variable trial_ended_;
  std::vector<Trial> trials_;
  std::vector<SampledTrial> sampled_;  ///< the same as samplers see them
  std::set<std::int64_t> waiting_;     ///< trials nobody has taken yet
  std::set<std::int64_t> running_;     ///< trials of this process
  std::set<std::int64_t> elsewhere_;   ///< running trials of others
  std::set<std::int64_t> replaced_;    ///< failed trials that others stand in for
  std::optional<Error> failure_;
  EngineOutcome outcome_;
};

/// A stored trial as samplers of `space` see it: its point is empty when it is of another one.
SampledTrial as_sampled(const Trial& trial, const Space& space);
/// The active values of a point as parameters of a trial.
std::vector<TrialParameter> parameters_of(const Space& space, const Point& point);
/// {"name": value}: a point as Optuna's fixed parameters have it, and what of it fits a space.
std::string fixed_parameters(const std::vector<TrialParameter>& parameters);
Point point_from_fixed(const Space& space, const std::string& json);

}  // namespace chop::search

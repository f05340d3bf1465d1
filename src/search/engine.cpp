// One exchange with the study, for example by worker 1 of process B while process A has just died:
//   begin    what changed: A's trial 7 is stale, trial 8 of another process is complete
//   learn    samplers see trial 8; trial 7 is marked failed, trial 10 waits with its parameters
//   choose   the waiting trial 10 comes before a new proposal of the sampler
//   commit   7 failed, 10 running here; then it is evaluated without the lock
// engine_choose.cpp has the third step.
#include "search/engine.hpp"

#include <system_error>
#include <thread>

#include "search/results.hpp"
#include "support/json.hpp"

namespace chop::search {
namespace {

using namespace std::chrono_literals;

constexpr const char* kInterrupted = "interrupted";
/// A trial that ends its worker every time (out of memory, say) is not tried for ever.
constexpr std::size_t kMostRetries = 3;

std::string json_text(const MetricValues& values) {
  return to_json(Tree(values));
}

std::optional<std::int64_t> whole_number(const AttributeMap& attributes, const char* key) {
  const auto found = attributes.find(key);
  if (found == attributes.end()) return {};
  const Result<Tree> json = parse_json(found->second, key);
  const std::int64_t* number = json ? json.value().as_integer() : nullptr;
  return number == nullptr ? std::nullopt : std::optional(*number);
}

}  // namespace

Engine::Engine(SearchProblem& problem, Sampler& sampler, const Pruner* pruner,
               StudySession& session, const EngineOptions& options, const EngineObserver& observer)
    : problem_(problem),
      sampler_(sampler),
      pruner_(pruner),
      session_(session),
      options_(options),
      observer_(observer),
      objectives_(problem.config().directions().size()) {}

double Engine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

Result<EngineOutcome> Engine::run() {
  std::vector<std::thread> others;
  try {
    for (int worker = 1; worker < options_.workers; ++worker)
      others.emplace_back([this, worker] { work(worker); });
  } catch (const std::system_error&) {  // no memory for a stack: those there are do the work
  }
  work(0);
  for (std::thread& other : others) other.join();
  if (!failure_)
    if (Status stored = session_.flush(); !stored) failure_ = std::move(stored).error();
  if (failure_) return std::move(*failure_);
  outcome_.trials = std::move(trials_);
  outcome_.seconds = seconds();
  outcome_.stopped = stop_requested();
  return std::move(outcome_);
}

void Engine::work(int worker) {
  std::optional<Trial> finished;
  for (;;) {
    Turn turn;
    {
      std::unique_lock lock(mutex_);
      if (failure_) return;
      Result<Turn> next = exchange(finished);
      if (finished) trial_ended_.notify_all();
      finished.reset();
      if (!next) {
        failure_ = std::move(next).error();
        trial_ended_.notify_all();
        return;
      }
      turn = std::move(next).value();
      if (turn.next == Next::End) return;
      if (turn.next == Next::Wait) {
        trial_ended_.wait_for(lock, 100ms);
        continue;
      }
    }
    finished = evaluate(turn, worker);
  }
}

Result<Engine::Turn> Engine::exchange(const std::optional<Trial>& finished) {
  CH_TRY(StudyUpdates updates, session_.begin());
  StudyChanges changes;
  for (Trial& trial : updates.trials) {
    // Another program stored it for other objectives: it cannot be compared.
    if (trial.state == TrialState::Complete && trial.values.size() != objectives_)
      trial.state = TrialState::Fail;
    const bool ended = is_finished(trial.state);
    learn(trial);
    changed_ = std::chrono::steady_clock::now();
    if (ended && observer_.on_trial) observer_.on_trial(trial);
  }
  // Another process may have marked this trial failed because its worker was slow; a finished trial
  // never changes.
  const bool late =
      finished && is_finished(trials_[static_cast<std::size_t>(finished->number)].state);
  if (late) {
    running_.erase(finished->number);
    if (observer_.on_note)
      observer_.on_note(cat("trial ", finished->number,
                            " was given up as lost meanwhile; its result is dropped"));
  }
  if (finished && !late) {
    put(*finished, changes);
    running_.erase(finished->number);
    ++outcome_.ran;
    if (observer_.on_trial) observer_.on_trial(*finished);
    const bool interrupted =
        finished->state == TrialState::Fail && finished->user.contains(kInterrupted);
    if (interrupted) give_up_on(finished->number, changes);
  }
  for (const std::int64_t number : updates.stale)
    if (trials_[static_cast<std::size_t>(number)].state == TrialState::Running &&
        !running_.contains(number)) {
      if (observer_.on_note)
        observer_.on_note(cat("trial ", number, ": its worker is gone; it is tried again"));
      give_up_on(number, changes);
    }
  Result<Turn> turn = choose(changes);
  // An error of choose() too: the study must be unlocked.
  CH_CHECK(session_.commit(std::move(changes)));
  return turn;
}

/// Remembers a trial as it is now.
void Engine::learn(const Trial& trial) {
  const auto at = static_cast<std::size_t>(trial.number);
  if (at >= trials_.size()) {
    trials_.resize(at + 1);
    sampled_.resize(at + 1);
  }
  trials_[at] = trial;
  sampled_[at] = as_sampled(trial, problem_.space());
  const auto keep = [&trial](std::set<std::int64_t>& set, bool is_in) {
    if (is_in)
      set.insert(trial.number);
    else
      set.erase(trial.number);
  };
  keep(waiting_, trial.state == TrialState::Waiting);
  keep(elsewhere_, trial.state == TrialState::Running && !running_.contains(trial.number));
  if (const auto failed = whole_number(trial.system, "failed_trial")) replaced_.insert(*failed);
}

void Engine::put(const Trial& trial, StudyChanges& changes) {
  const bool is_new = static_cast<std::size_t>(trial.number) >= trials_.size();
  learn(trial);
  for (Trial& added : changes.added)
    if (added.number == trial.number) {
      added = trial;
      return;
    }
  (is_new ? changes.added : changes.changed).push_back(trial);
}

/// The trial has failed; another with the same parameters waits for the worker that comes first.
void Engine::give_up_on(std::int64_t number, StudyChanges& changes) {
  Trial failed = trials_[static_cast<std::size_t>(number)];
  failed.state = TrialState::Fail;
  if (failed.completed == 0) failed.completed = local_now();
  put(failed, changes);
  Tree history = Tree::list();
  if (const auto earlier = failed.system.find("retry_history"); earlier != failed.system.end())
    if (Result<Tree> known = parse_json(earlier->second, "retry_history");
        known && known.value().is_list())
      history = std::move(known).value();
  if (history.size() >= kMostRetries) {
    if (observer_.on_note)
      observer_.on_note(cat("trial ", number, " ended with its worker once more: given up"));
    return;
  }
  Trial again{.number = static_cast<std::int64_t>(trials_.size()), .state = TrialState::Waiting};
  again.system["fixed_params"] = fixed_parameters(failed.parameters);
  again.system["failed_trial"] = std::to_string(number);
  // Interrupted trials do not count as retries.
  if (!failed.user.contains(kInterrupted)) history.push(number);
  again.system["retry_history"] = to_json(history);
  put(again, changes);
}

Trial Engine::evaluate(const Turn& turn, int worker) {
  Trial trial = turn.trial;
  bool pruned = false;
  RunHooks hooks{.worker = worker, .stop_requested = observer_.stop_requested};
  if (pruner_ != nullptr)
    hooks.report = [&](std::int64_t step, const MetricValues& so_far) {
      const auto objectives = problem_.objectives_of(so_far);
      if (!objectives) return false;
      trial.reports[step] = objectives->front();  // pruners know one objective
      pruned = should_prune(trial.number, step, objectives->front());
      return pruned;
    };
  const Result<Evaluation> result = problem_.evaluate(turn.point, hooks);
  trial.completed = local_now();
  trial.state = TrialState::Fail;
  if (!result) {
    trial.user["error"] = to_json(result.error().what);
    return trial;
  }
  const Evaluation& found = result.value();
  trial.user["software_metrics"] = json_text(found.software);
  trial.user["hardware_metrics"] = json_text(found.hardware);
  trial.user["sampled_config"] = to_json(found.config);
  if (pruned) {
    trial.state = TrialState::Pruned;
    trial.values = {trial.reports.rbegin()->second};
  } else if ((found.objectives.empty() || problem_.trains()) && stop_requested()) {
    trial.user[kInterrupted] = "true";
  } else if (found.objectives.empty()) {
    trial.user["error"] = to_json("a metric was not measured");
  } else {
    trial.user["scaled_metrics"] = json_text(found.scaled);
    trial.state = TrialState::Complete;
    trial.values = found.objectives;
  }
  return trial;
}

bool Engine::should_prune(std::int64_t number, std::int64_t step, double value) {
  const std::lock_guard lock(mutex_);
  const auto at = static_cast<std::size_t>(number);
  trials_[at].reports[step] = value;
  sampled_[at].reports[step] = value;
  if (Status stored = session_.report(number, step, value); !stored) {
    if (!failure_) failure_ = std::move(stored).error();
    return true;
  }
  return pruner_->should_prune(sampled_, sampled_[at]);
}

}  // namespace chop::search

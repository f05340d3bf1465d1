// Which trial a worker evaluates next: a waiting one, else what the sampler proposes, as long as
// the study has fewer trials than it should have. With 20 wanted, 19 there and one of them running
// in another process, a worker with nothing to do waits: that process may die, and its trial with
// it.
#include "search/engine.hpp"

namespace chop::search {

bool Engine::may_begin() const {
  const auto counted = static_cast<std::int64_t>(trials_.size() - replaced_.size());
  return counted < options_.n_trials;
}

/// Whether other processes run trials that this one may yet have to take over: those without which
/// the study would have fewer than its trials.
bool Engine::others_run() const {
  if (options_.session.heartbeat <= 0 || elsewhere_.empty()) return false;
  const std::size_t unneeded = trials_.size() - replaced_.size() - elsewhere_.size();
  if (std::cmp_greater_equal(unneeded, options_.n_trials)) return false;
  const std::chrono::duration<double> quiet = std::chrono::steady_clock::now() - changed_;
  return quiet.count() <= 1.5 * options_.session.timeout() + 2;
}

Result<Engine::Turn> Engine::choose(StudyChanges& changes) {
  if (stop_requested()) return Turn{};
  const bool late = options_.timeout && seconds() > *options_.timeout;
  if (!waiting_.empty() && !late) return take_waiting(*waiting_.begin(), changes);
  if (late) {
    outcome_.timed_out = may_begin();
    return Turn{};
  }
  const Turn wait{.next = Next::Wait};
  if (!may_begin()) return others_run() ? wait : Turn{};
  const auto number = static_cast<std::int64_t>(trials_.size());
  // A retry has the point of the trial it replaces, so the sampler's next point is not used up.
  const auto count = number - static_cast<std::int64_t>(replaced_.size());
  CH_TRY(Proposal proposal, sampler_.propose(sampled_, count));
  if (proposal.kind == Proposal::Kind::Wait)
    return running_.empty() && !others_run() ? Turn{} : wait;
  if (proposal.kind == Proposal::Kind::Done) {
    outcome_.exhausted = true;
    return others_run() ? wait : Turn{};
  }
  Turn turn{.next = Next::Try, .trial = {.number = number}};
  turn.trial.system = std::move(proposal.system);
  begin(turn, std::move(proposal.point));
  put(turn.trial, changes);
  return turn;
}

/// A waiting trial: a retry of a failed one, or one that was enqueued.
Result<Engine::Turn> Engine::take_waiting(std::int64_t number, StudyChanges& changes) {
  Turn turn{.next = Next::Try, .trial = trials_[static_cast<std::size_t>(number)]};
  Point point(problem_.space().dimensions(), kInactive);
  if (const auto fixed = turn.trial.system.find("fixed_params"); fixed != turn.trial.system.end())
    point = point_from_fixed(problem_.space(), fixed->second);
  const Point drawn =
      problem_.space().draw(Stream(0, "waiting", static_cast<std::uint64_t>(number)));
  for (std::size_t i = 0; i < point.size(); ++i)  // parents stand before their children
    if (problem_.space().active(point, i) && !is_active(point[i]))
      point[i] = is_active(drawn[i]) ? drawn[i]
                                     : nth_value(problem_.space().parameters()[i].distribution, 0);
  begin(turn, problem_.space().canonical(std::move(point)));
  put(turn.trial, changes);
  return turn;
}

void Engine::begin(Turn& turn, Point point) {
  turn.point = std::move(point);
  turn.trial.state = TrialState::Running;
  turn.trial.started = local_now();
  turn.trial.parameters = parameters_of(problem_.space(), turn.point);
  running_.insert(turn.trial.number);
}

}  // namespace chop::search

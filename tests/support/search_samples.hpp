// Spaces drawn at random and studies played without a network, for tests of samplers and pruners.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "search/algorithms/sampler_def.hpp"

namespace chop {

inline std::vector<Tree> numbers(const std::vector<int>& values) {
  return {values.begin(), values.end()};
}

/// `count` parameters with the choices 2, 4 and 8.
inline Space widths_space(std::size_t count, const std::vector<int>& choices = {2, 4, 8}) {
  std::vector<SpaceParameter> parameters(count);
  for (std::size_t i = 0; i < count; ++i)
    parameters[i] = {cat("width_", i), Distribution::categorical(numbers(choices))};
  return Space(std::move(parameters));
}

inline Distribution draw_distribution(const Stream& stream, std::uint64_t n, bool finite) {
  switch (stream.below(n, finite ? 3 : 6)) {
    case 0:
      return Distribution::categorical({"a", "b", true});
    case 1:
      return Distribution::categorical(numbers({2, 8, 4}));
    case 2:
      return Distribution::integer(-1, 5, 3);
    case 3:
      return Distribution::integer(1, 100'000, 1, /*log=*/true);
    case 4:
      return Distribution::real(-2, 3);
    default:
      return Distribution::real(1e-5, 1, 0, /*log=*/true);
  }
}

/// The first parameter has three choices; about half of the others depend on it.
inline Space draw_space(std::uint64_t seed, bool finite) {
  const Stream stream(seed, "space");
  std::vector<SpaceParameter> parameters = {
      {"format", Distribution::categorical({"integer", "block_fp", "log"})}};
  const std::uint64_t count = 1 + stream.below(0, finite ? 3 : 6);
  for (std::uint64_t i = 0; i < count; ++i) {
    SpaceParameter parameter{cat("p", i), draw_distribution(stream, 10 + 3 * i, finite)};
    if (stream.below(11 + 3 * i, 2) == 0) {
      std::vector<bool> marked(3, false);
      marked[stream.below(12 + 3 * i, 3)] = true;
      parameter.when.push_back({.parent = 0, .choices = std::move(marked)});
    }
    parameters.push_back(std::move(parameter));
  }
  return Space(std::move(parameters));
}

/// Smooth where numbers are, different for every choice; inactive parameters count as nothing.
inline double bowl(const Point& point) {
  double sum = 0;
  for (std::size_t i = 0; i < point.size(); ++i)
    if (is_active(point[i])) sum += (point[i] - 1) * (point[i] - 1) * static_cast<double>(i + 1);
  return sum;
}

inline std::vector<double> one_objective(const Point& point) {
  return {bowl(point)};
}

inline std::vector<double> two_objectives(const Point& point) {
  double size = 0;
  for (const double value : point) size += is_active(value) ? value : 0;
  return {bowl(point), size};
}

inline SamplerContext context_for(const Space& space, std::size_t objectives,
                                  std::uint64_t seed = 7) {
  return {.space = space,
          .directions = std::vector<Direction>(objectives, Direction::Minimise),
          .metrics = {{.name = "loss"}, {.name = "bits", .hardware = true}},
          .seed = seed};
}

using Objectives = std::function<std::vector<double>(const Point&)>;

struct Play {
  Objectives objectives;
  std::size_t trials = 20;
  std::size_t workers = 1;
  std::uint64_t order = 0;  ///< which trial finishes next
  std::function<bool(std::int64_t)> fails = [](std::int64_t) { return false; };
  std::vector<SampledTrial> past = {};
  std::function<std::map<std::string, double>(const Point&)> metrics = {};
};

inline std::unique_ptr<Sampler> make_sampler(std::string_view name, const SamplerContext& context,
                                             const Tree& options = Tree::table()) {
  const SamplerDef& def = *find_sampler(name).value();
  const Args args = Args::check(def.args, options, {.path = cat("sampler.", name)}).value();
  return def.make(context, args).value();
}

inline void finish_trial(const Play& play, SampledTrial& trial) {
  if (play.fails(trial.number)) {
    trial.state = TrialState::Fail;
    return;
  }
  trial.state = TrialState::Complete;
  trial.values = play.objectives(trial.point);
  if (play.metrics) trial.metrics = play.metrics(trial.point);
}

/// Plays a study to its end and returns its trials; ends early when the sampler is done.
inline std::vector<SampledTrial> play_study(Sampler& sampler, const Play& play) {
  std::vector<SampledTrial> trials = play.past;
  std::vector<std::size_t> running;
  const Stream order(play.order, "order");
  bool done = false;
  for (std::uint64_t round = 0; !done || !running.empty(); ++round) {
    bool waits = done || running.size() == play.workers || trials.size() >= play.trials;
    if (!waits) {
      const auto number = static_cast<std::int64_t>(trials.size());
      Proposal proposal = sampler.propose(trials, number).value();
      waits = proposal.kind != Proposal::Kind::Try;
      done = proposal.kind == Proposal::Kind::Done;
      if (!waits) {
        running.push_back(trials.size());
        trials.push_back({.number = number, .point = std::move(proposal.point)});
      } else if (!done && running.empty()) {
        ADD_FAILURE() << "waits for a trial while none is running";
        return trials;
      }
    }
    if (!waits) continue;
    if (running.empty()) break;
    const auto which = static_cast<std::ptrdiff_t>(order.below(round, running.size()));
    finish_trial(play, trials[running[static_cast<std::size_t>(which)]]);
    running.erase(running.begin() + which);
  }
  return trials;
}

inline std::vector<Point> points_of(const std::vector<SampledTrial>& trials) {
  std::vector<Point> points;
  for (const SampledTrial& trial : trials) points.push_back(trial.point);
  return points;
}

inline bool same_points(const std::vector<SampledTrial>& a, const std::vector<SampledTrial>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const SampledTrial& x, const SampledTrial& y) { return same_point(x.point, y.point); });
}

}  // namespace chop

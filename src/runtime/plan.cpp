#include "runtime/plan.hpp"

#include <chrono>

#include "runtime/team.hpp"

namespace chop::runtime {

Status Plan::run(RunState state) {
  return run(state, [](std::size_t /*step*/) {});
}

std::optional<Status> Plan::run_as_team(const RunState& state, TaskRef between) {
  const std::vector<Step>& steps = parts_.steps;
  const int members = std::min(short_threads(parts_.team), hardware_threads());
  if (members <= 1) return {};
  for (const Step& step : steps)
    if (step.check) CH_CHECK(step.check(step.args));
  const auto work = [&](Member& member) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (member.is_first()) between(static_cast<std::int64_t>(i));
      if (steps[i].meets_before) member.meet();
      if (const TeamRun* const team = steps[i].kernel.team())
        team->run(steps[i].args, member);
      else if (member.is_first())
        steps[i].kernel(steps[i].args, {.state = state});
    }
    member.meet();
  };
  if (!run_team(members, std::cref(work))) return {};
  return Status();
}

void Plan::move_to(std::size_t slice) {
  for (const Moving& moving : parts_.moving) {
    std::byte* const memory = moving.start + slice * moving.stride;
    KernelArgs& args = parts_.steps[moving.step].args;
    if (moving.is_result)
      args.out[moving.operand] = memory;
    else
      args.in[moving.operand] = memory;
  }
}

Result<std::vector<double>> Plan::run_timed(RunState state) {
  using Clock = std::chrono::steady_clock;
  const std::size_t count = parts_.steps.size();
  std::vector<double> seconds(count, 0.0);
  std::size_t running = count;
  Clock::time_point since;
  const auto begin = [&](std::size_t step) {
    const Clock::time_point now = Clock::now();
    if (running < count) seconds[running] += std::chrono::duration<double>(now - since).count();
    running = step;
    since = now;
  };
  CH_CHECK(run(state, begin));
  begin(count);
  return seconds;
}

const Plan::Slot* Plan::find_input(std::string_view name) const {
  const auto found = parts_.inputs.find(name);
  return found == parts_.inputs.end() ? nullptr : &found->second;
}

bool Plan::depends_on_processor() const {
  return std::any_of(parts_.steps.begin(), parts_.steps.end(), [](const Step& step) {
    const std::string_view backend = step.kernel.backend();
    return !backend.empty() && backend != kReference;
  });
}

std::vector<StepInfo> Plan::steps() const {
  std::vector<StepInfo> all;
  all.reserve(parts_.steps.size());
  for (const Step& step : parts_.steps) {
    all.push_back(step.info);
    all.back().backend = step.kernel.backend();
  }
  return all;
}

std::vector<std::string> Plan::describe() const {
  std::vector<std::string> lines;
  lines.reserve(parts_.steps.size());
  for (const Step& step : parts_.steps) lines.push_back(step.info.describe());
  return lines;
}

}  // namespace chop::runtime

// bench_samplers run FUNCTION SAMPLER FIRST_SEED SEEDS TRIALS [KEY=VALUE...]: one line per seed,
// the best value or the hypervolume, and the microseconds a proposal took. bench_samplers values
// FUNCTION: the values at every line of numbers it reads.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "functions.hpp"
#include "search/algorithms/pareto.hpp"
#include "search/algorithms/sampler_def.hpp"

namespace chop::bench {
namespace {

struct Task {
  const TestFunction* function = nullptr;
  std::string sampler;
  Tree options = Tree::table();
  std::uint64_t first_seed = 0;
  std::uint64_t seeds = 0;
  std::int64_t trials = 0;
};

Tree option_value(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (*end != '\0') return text;
  const bool whole = text.find_first_of(".e") == std::string::npos;
  return whole ? Tree(static_cast<std::int64_t>(number)) : Tree(number);
}

double result_of(const TestFunction& function, const std::vector<SampledTrial>& trials) {
  std::vector<Losses> rows;
  for (const SampledTrial& trial : trials) rows.push_back(trial.values);
  if (!function.reference.empty()) return hypervolume(rows, function.reference);
  return std::min_element(rows.begin(), rows.end())->front();
}

Status run_seed(const Task& task, const Space& space, std::uint64_t seed) {
  const std::size_t objectives = std::max<std::size_t>(1, task.function->reference.size());
  const SamplerContext context{
      .space = space,
      .directions = std::vector<Direction>(objectives, Direction::Minimise),
      .seed = seed};
  CH_TRY(const SamplerDef* def, find_sampler(task.sampler));
  CH_TRY(const Args args, Args::check(def->args, task.options, {.path = task.sampler}));
  CH_TRY(const std::unique_ptr<Sampler> sampler, def->make(context, args));
  std::vector<SampledTrial> trials;
  std::chrono::duration<double, std::micro> spent{0};
  for (std::int64_t number = 0; number < task.trials; ++number) {
    const auto start = std::chrono::steady_clock::now();
    CH_TRY(Proposal proposal, sampler->propose(trials, number));
    spent += std::chrono::steady_clock::now() - start;
    if (proposal.kind != Proposal::Kind::Try) break;
    std::vector<double> values = task.function->values(proposal.point);
    trials.push_back({.number = number,
                      .state = TrialState::Complete,
                      .point = std::move(proposal.point),
                      .values = std::move(values)});
  }
  std::printf("%.17g %.3g\n", result_of(*task.function, trials),
              spent.count() / static_cast<double>(task.trials));
  return {};
}

Status run(const Task& task) {
  std::vector<SpaceParameter> parameters;
  for (const auto& [low, high] : task.function->bounds)
    parameters.push_back({cat("x", parameters.size()), Distribution::real(low, high)});
  const Space space(std::move(parameters));
  for (std::uint64_t i = 0; i < task.seeds; ++i)
    CH_CHECK(run_seed(task, space, task.first_seed + i));
  return {};
}

std::vector<double> numbers_of(const char* text) {
  std::vector<double> numbers;
  for (char* end = nullptr;; text = end) {
    const double number = std::strtod(text, &end);
    if (end == text) return numbers;
    numbers.push_back(number);
  }
}

Status print_values(const TestFunction& function) {
  std::array<char, 1 << 14> line{};
  while (std::fgets(line.data(), line.size(), stdin) != nullptr) {
    const std::vector<double> x = numbers_of(line.data());
    if (x.size() != function.bounds.size())
      return Error{.what = cat(function.name, " has ", function.bounds.size(), " variables")};
    for (const double value : function.values(x)) std::printf("%.17g ", value);
    std::printf("\n");
  }
  return {};
}

Status start(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const TestFunction* function = words.size() > 1 ? find_function(words[1]) : nullptr;
  if (function == nullptr) return Error{.what = "needs run or values, and a function"};
  if (words[0] == "values") return print_values(*function);
  if (words[0] != "run" || words.size() < 6)
    return Error{.what = "needs run FUNCTION SAMPLER FIRST_SEED SEEDS TRIALS [KEY=VALUE...]"};
  Task task{.function = function,
            .sampler = words[2],
            .first_seed = std::strtoull(words[3].c_str(), nullptr, 10),
            .seeds = std::strtoull(words[4].c_str(), nullptr, 10),
            .trials = std::strtoll(words[5].c_str(), nullptr, 10)};
  for (std::size_t i = 6; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals == std::string::npos) return Error{.what = cat(words[i], " is no KEY=VALUE")};
    task.options.set(words[i].substr(0, equals), option_value(words[i].substr(equals + 1)));
  }
  return run(task);
}

}  // namespace
}  // namespace chop::bench

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): out of memory may end it
  if (const chop::Status status = chop::bench::start(argc, argv); !status) {
    std::fputs(chop::to_string(status.error()).c_str(), stderr);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

// mutate [--executions N] [--seconds S] [--seed S] [--first N] [--jobs N] [--kind NAME] [--findings
// DIR]
//
// Opens mutated files with every action of the program and reports each that ends in a signal, an
// exception that is not ours, exit 70, after 10 s of processor time or beyond 2 GB of memory.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <span>

#include "mutate/supervise.hpp"
#include "support/cat.hpp"
#include "support/text.hpp"

// Asked by the sanitisers' runtime, where there is one: a report ends the child by a signal, a
// refusal to give memory is an exception, as without them.
extern "C" const char* __asan_default_options() {  // NOLINT
  return "abort_on_error=1:detect_leaks=0:allocator_may_return_null=1:handle_abort=0:"
         "detect_odr_violation=0:quarantine_size_mb=32";
}
extern "C" const char* __ubsan_default_options() {  // NOLINT
  return "halt_on_error=1:abort_on_error=1:print_stacktrace=1";
}

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  using namespace chop;
  mutate::Plan plan{.work = fs::temp_directory_path() / cat("ch-mutate-", getpid(), "-work"),
                    .findings = fs::current_path() / "findings",
                    .program = argv[0]};
  const std::span<char*> words(argv + 1, static_cast<std::size_t>(argc - 1));
  if (words.size() % 2 != 0) {
    std::cerr << "every option takes a value: mutate [--executions N] [--seconds S] [--seed S] "
                 "[--first N] "
                 "[--jobs N] [--kind NAME] [--findings DIR]\n";
    return 2;
  }
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string flag = words[i];
    const std::string value = words[i + 1];
    const auto number = static_cast<std::uint64_t>(parse_int(value).value_or(0));
    if (flag == "--executions")
      plan.executions = number;
    else if (flag == "--seconds")
      plan.seconds = static_cast<double>(number);
    else if (flag == "--seed")
      plan.seed = number;
    else if (flag == "--first")
      plan.first = number;
    else if (flag == "--jobs")
      plan.jobs = static_cast<int>(std::max<std::uint64_t>(1, number));
    else if (flag == "--kind")
      plan.only = value;
    else if (flag == "--findings")
      plan.findings = fs::absolute(value);
    else
      return std::cerr << "unknown option " << flag << '\n', 2;
  }
  std::vector<mutate::Kind> kinds = mutate::all_kinds(CH_SOURCE_DIR);
  if (!plan.only.empty())
    std::erase_if(kinds, [&](const mutate::Kind& kind) { return kind.name != plan.only; });
  if (kinds.empty()) return std::cerr << "no kind " << plan.only << '\n', 2;
  const mutate::Tally tally = mutate::run_all(kinds, plan);
  fs::remove_all(plan.work);
  std::cout << tally.executions << " executions, " << tally.accepted << " accepted, "
            << tally.findings << " findings (seed " << plan.seed << ")\n";
  return tally.findings == 0 && tally.executions > 0 ? 0 : 1;
}

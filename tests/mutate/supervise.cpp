// Executions in child processes. A child runs one after the other and writes down which one it is
// at; when it dies or takes too long, the execution it was at is a finding, and the next child goes
// on behind it.
#include "mutate/supervise.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

#include "cli/run.hpp"
#include "support/system/files.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::mutate {
namespace {

namespace fs = std::filesystem;

constexpr double kMostSeconds = 10;            ///< of processor time
constexpr double kMostWaiting = 120;           ///< of the clock: a wait that never ends
constexpr std::int64_t kMostMemory = 2 << 20;  ///< in KB
constexpr std::uint64_t kBatch = 500;          ///< executions of one child
constexpr int kOurBug = 70;

struct Shared {
  std::uint64_t at = 0;        ///< the execution it is at
  double processor = 0;        ///< seconds when that began
  std::uint64_t accepted = 0;  ///< executions that ended in exit 0
};

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Swallows what commands print.
struct NoBuffer : std::streambuf {
  int overflow(int c) override { return c; }
  std::streamsize xsputn(const char* /*text*/, std::streamsize size) override { return size; }
};

int run_command(const Words& words) {
  // They live on: the log keeps writing where the last command told it to.
  static NoBuffer nothing;
  static std::ostream out(&nothing);
  static std::ostringstream err;
  err.str({});
  set_log_sink(err);
  if (words[0] == "exercise") {
    try {
      return exercise(words[1]);
    } catch (const std::bad_alloc&) {
      return 1;
    } catch (const std::exception& surprise) {
      std::cerr << "exception: " << surprise.what() << '\n';
      return kOurBug;
    }
  }
  if (words[0] == "bench-model" && asks_for_much(words[1])) return 1;
  std::vector<char*> argv = {const_cast<char*>("ch")};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  const int code = run_cli(static_cast<int>(argv.size()), argv.data(), out, err);
  if (code == kOurBug) std::cerr << err.str();
  return code;
}

/// Resident memory of a process, in KB.
std::int64_t memory_of(pid_t pid) {
  std::ifstream in(cat("/proc/", pid, "/statm"));
  std::int64_t all = 0;
  std::int64_t resident = 0;
  in >> all >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

class Supervisor {
 public:
  Supervisor(const std::vector<Kind>& kinds, const Plan& plan, int job)
      : kinds_(kinds), plan_(plan), work_(plan.work / cat("job", job)), job_(job) {
    void* memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared_ = new (memory) Shared();
    fs::create_directories(work_);
  }

  Tally run() {
    const double end = seconds_of(CLOCK_MONOTONIC) + plan_.seconds;
    std::uint64_t next = plan_.first + static_cast<std::uint64_t>(job_);
    const auto step = static_cast<std::uint64_t>(plan_.jobs);
    while (next < plan_.first + plan_.executions && seconds_of(CLOCK_MONOTONIC) < end) {
      const std::uint64_t last = std::min(plan_.first + plan_.executions, next + kBatch * step);
      const std::uint64_t reached = supervise(next, last, end);
      tally_.executions += (reached - next) / step;
      next = reached;
    }
    tally_.accepted = shared_->accepted;
    return tally_;
  }

 private:
  /// Runs [first, last) in a child; returns where to go on.
  std::uint64_t supervise(std::uint64_t first, std::uint64_t last, double end) {
    shared_->at = first;
    shared_->processor = 0;
    const pid_t child = fork();
    if (child == 0) be_child(first, last, end);
    clockid_t clock = CLOCK_MONOTONIC;
    clock_getcpuclockid(child, &clock);
    std::uint64_t seen = first;
    double since = seconds_of(CLOCK_MONOTONIC);
    std::string why;
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const double now = seconds_of(CLOCK_MONOTONIC);
      if (shared_->at != seen) {
        seen = shared_->at;
        since = now;
      }
      if (seconds_of(clock) - shared_->processor > kMostSeconds)
        why = cat("more than ", kMostSeconds, " s of processor time");
      else if (now - since > kMostWaiting)
        why = cat("more than ", kMostWaiting, " s");
      else if (memory_of(child) > kMostMemory)
        why = "more than 2 GB";
      if (why.empty()) continue;
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    if (why.empty() && WIFEXITED(status) && WEXITSTATUS(status) == 0) return shared_->at;
    if (why.empty() && WIFSIGNALED(status)) why = cat("signal ", WTERMSIG(status));
    if (why.empty()) why = cat("exit ", WEXITSTATUS(status));
    if (!lacked_memory()) keep(shared_->at, why);
    return shared_->at + static_cast<std::uint64_t>(plan_.jobs);
  }

  [[noreturn]] void be_child(std::uint64_t first, std::uint64_t last, double end) {
    const int log = open((work_ / "stderr").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(log, STDERR_FILENO);
    dup2(open("/dev/null", O_RDWR), STDIN_FILENO);
    setenv("CH_CACHE_DIR", (work_ / "cache").c_str(), 1);
    fs::current_path(work_);
    write_companions(".");
    for (; first < last && seconds_of(CLOCK_MONOTONIC) < end;
         first += static_cast<std::uint64_t>(plan_.jobs)) {
      shared_->processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
      shared_->at = first;
      const Execution execution = execution_of(kinds_, plan_, first);
      std::ofstream(execution.kind->file, std::ios::binary) << execution.bytes;
      const int code = run_command(*execution.command);
      if (code == kOurBug) _exit(kOurBug);
      if (code == 0) ++shared_->accepted;
      std::error_code ignored;
      fs::remove_all("out", ignored);
      fs::create_directory("out", ignored);
      if (execution.kind->file.starts_with("mnist")) write_companions(".");
    }
    shared_->at = first;
    _exit(0);
  }

  /// The address sanitiser ends the process where operator new would have thrown, which the program
  /// answers with "not enough memory".
  bool lacked_memory() const {
    const Result<std::string> log = read_file(work_ / "stderr");
    const std::string said = log ? log.value() : "";
    return said.find("AddressSanitizer: allocator is out of memory") != std::string::npos ||
           said.find("AddressSanitizer: requested allocation size") != std::string::npos;
  }

  /// Saves the mutated file, what was said about it, and the commands that repeat it.
  void keep(std::uint64_t number, const std::string& why) {
    ++tally_.findings;
    const Execution execution = execution_of(kinds_, plan_, number);
    const fs::path folder = plan_.findings / cat(plan_.seed, "-", number);
    fs::create_directories(folder);
    const std::string name = fs::path(execution.kind->file).filename().string();
    std::ofstream(folder / name, std::ios::binary) << execution.bytes;
    std::error_code ignored;
    fs::copy_file(work_ / "stderr", folder / "stderr", fs::copy_options::overwrite_existing,
                  ignored);
    const std::string said = cat(execution.kind->name, ", execution ", number, ": ", why, "\n  ch ",
                                 join(*execution.command, " "), "\n  again: ", plan_.program,
                                 " --seed ", plan_.seed, " --first ", number, " --executions 1",
                                 plan_.only.empty() ? "" : " --kind ", plan_.only, "\n");
    std::ofstream(folder / "how") << said;
    std::cout << said << "  kept: " << folder.string() << std::endl;
  }

  const std::vector<Kind>& kinds_;
  const Plan& plan_;
  fs::path work_;
  int job_;
  Shared* shared_;
  Tally tally_;
};

}  // namespace

Execution execution_of(const std::vector<Kind>& kinds, const Plan& plan, std::uint64_t number) {
  Random random(plan.seed * 0x1000003D + number);
  const Kind& kind = kinds[random.below(kinds.size())];
  Execution execution{.kind = &kind, .command = &random.of(kind.commands)};
  execution.bytes = random.of(kind.bases);
  for (std::size_t changes = random.one_in(6) ? 2 : 1; changes > 0; --changes)
    execution.bytes = kind.mutate(execution.bytes, random);
  return execution;
}

Tally run_all(const std::vector<Kind>& kinds, const Plan& plan) {
  void* memory = mmap(nullptr, sizeof(Tally) * static_cast<std::size_t>(plan.jobs),
                      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* tallies = static_cast<Tally*>(memory);
  std::vector<pid_t> children;
  for (int job = 0; job < plan.jobs; ++job) {
    const pid_t child = fork();
    if (child == 0) {
      tallies[job] = Supervisor(kinds, plan, job).run();
      _exit(0);
    }
    children.push_back(child);
  }
  Tally sum;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    if (status == 0) continue;
    std::cout << "the tester itself crashed: wait status " << status << std::endl;
    ++sum.findings;
  }
  for (int job = 0; job < plan.jobs; ++job) {
    sum.executions += tallies[job].executions;
    sum.accepted += tallies[job].accepted;
    sum.findings += tallies[job].findings;
  }
  return sum;
}

}  // namespace chop::mutate

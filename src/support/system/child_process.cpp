#include "support/system/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>

namespace chop::support {
namespace {

/// A file descriptor, closed when it goes out of scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

Error failed(const char* what) {
  return Error{.what = cat("cannot ", what, ": ", std::strerror(errno))};
}

/// Bytes of address space this process has; 0 when the system does not say.
std::size_t address_space() {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  statm >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void limit(int resource, rlim_t soft, rlim_t hard) {
  rlimit now = {};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &now) != 0) return;
  const rlimit wanted{std::min(soft, now.rlim_max), std::min(hard, now.rlim_max)};
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &wanted);
}

[[noreturn]] void be_child(int out, pid_t parent,
                           const std::function<void(const ChildWrite&)>& work,
                           const ChildLimits& limits) {
  // Asked for after the fork, so a parent that died before is noticed by hand.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM})
    ::signal(number, SIG_DFL);  // the default action: die silently
  limit(RLIMIT_CORE, 0, 0);
  // SIGXCPU at the soft limit; so SIGKILL comes from somebody else.
  limit(RLIMIT_CPU, limits.processor_seconds, limits.processor_seconds + 5);
  if (const std::size_t now = address_space(); now > 0)
    limit(RLIMIT_AS, now + limits.bytes, now + limits.bytes);
  const Descriptor silence(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (silence.get() >= 0) ::dup2(silence.get(), STDERR_FILENO);
  bool complete = true;
  work([&](std::span<const std::byte> bytes) {
    while (!bytes.empty() && complete) {
      const ssize_t count = ::write(out, bytes.data(), bytes.size());
      complete = count > 0 || errno == EINTR;
      if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  });
  ::_exit(complete ? 0 : 1);
}

Result<ChildBytes> written(int file) {
  struct stat status = {};
  if (::fstat(file, &status) != 0) return failed("see what a child process wrote");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return ChildBytes(nullptr, 0);
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (memory == MAP_FAILED) return failed("read what a child process wrote");
  return ChildBytes({static_cast<const std::byte*>(memory),
                     [memory, size](const std::byte*) { ::munmap(memory, size); }},
                    size);
}

std::string count_seconds(unsigned seconds) {
  return cat(seconds, seconds == 1 ? " second" : " seconds");
}

/// Waits for the child, but not for longer; whether it ended. It is still to be waited for.
bool ended_within(pid_t child, unsigned seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point last = Clock::now() + std::chrono::seconds(seconds);
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  if (handle.get() < 0) return true;  // an old kernel: the limit of processor time has to do
  while (Clock::now() < last) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(last - Clock::now());
    pollfd wanted{.fd = handle.get(), .events = POLLIN, .revents = 0};
    if (::poll(&wanted, 1, static_cast<int>(left.count())) > 0) return true;
  }
  return false;
}

}  // namespace

Result<ChildBytes> run_in_child(const std::function<void(const ChildWrite&)>& work,
                                const ChildLimits& limits) {
  const Descriptor file(::memfd_create("child", MFD_CLOEXEC));
  if (file.get() < 0) return failed("make memory to share with a child process");
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return failed("start a child process");
  if (child == 0) be_child(file.get(), parent, work, limits);
  const bool in_time = ended_within(child, limits.seconds);
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return failed("wait for a child process");
  if (!in_time)
    return Error{.what = cat("a child process took more than ", count_seconds(limits.seconds))};
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    return Error{.what = cat("a child process took more than ",
                             count_seconds(limits.processor_seconds), " of processor time")};
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    return Error{.what = "a child process was killed",
                 .hint = "the system kills processes when memory runs out"};
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return Error{.what = "a child process crashed"};
  return written(file.get());
}

}  // namespace chop::support

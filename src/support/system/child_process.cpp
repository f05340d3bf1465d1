#include "support/system/child_process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

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

[[noreturn]] void be_child(int out, const std::function<void(const ChildWrite&)>& work,
                           unsigned seconds) {
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM})
    ::signal(number, SIG_DFL);  // the default action: die silently
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const rlimit time{seconds, seconds};
  ::setrlimit(RLIMIT_CPU, &time);
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

}  // namespace

Result<ChildBytes> run_in_child(const std::function<void(const ChildWrite&)>& work,
                                unsigned seconds) {
  const Descriptor file(::memfd_create("child", MFD_CLOEXEC));
  if (file.get() < 0) return failed("make memory to share with a child process");
  const pid_t child = ::fork();
  if (child < 0) return failed("start a child process");
  if (child == 0) be_child(file.get(), work, seconds);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return failed("wait for a child process");
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGXCPU))
    return Error{.what = cat("a child process took more than ", seconds,
                             seconds == 1 ? " second" : " seconds", " of processor time")};
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return Error{.what = "a child process crashed"};
  return written(file.get());
}

}  // namespace chop::support

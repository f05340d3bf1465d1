#include "support/system/run_program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "support/text.hpp"

namespace chop::support {
namespace {

/// In the child: never returns.
[[noreturn]] void become(const std::vector<char*>& words, const char* folder, int output) {
  const bool ready = ::dup2(output, STDOUT_FILENO) >= 0 && ::dup2(output, STDERR_FILENO) >= 0 &&
                     ::chdir(folder) == 0;
  if (ready) ::execvp(words[0], words.data());
  ::_exit(127);
}

std::string read_all(int from) {
  std::string text;
  std::array<char, 4096> buffer = {};
  for (;;) {
    const ssize_t count = ::read(from, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

bool has_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':'))
    if (::access(cat(folder, "/", name).c_str(), X_OK) == 0) return true;
  return false;
}

Status need_programs(std::span<const std::string> names) {
  for (const std::string& name : names)
    if (!has_program(name))
      return Error{.what = cat("the program '", name, "' is not installed"),
                   .hint = cat("on Debian: apt-get install ", name)};
  return {};
}

Result<ProgramResult> run_program(const std::vector<std::string>& words,
                                  const std::filesystem::path& folder) {
  if (words.at(0).find('/') == std::string::npos) CH_CHECK(need_programs({words.data(), 1}));
  // Most programs put temporary files there; what they say when they cannot names no reason.
  std::error_code unknown;
  if (const char* place = std::getenv("TMPDIR");
      place != nullptr && *place != '\0' && !std::filesystem::is_directory(place, unknown))
    return Error{.what = cat("TMPDIR is '", place, "', which is no folder"),
                 .notes = {cat("'", words[0], "' keeps temporary files there")},
                 .hint = "make it, name another one, or unset TMPDIR"};
  std::vector<std::string> kept = words;
  std::vector<char*> arguments;
  for (std::string& word : kept) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::array<int, 2> ends = {};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Error{.what = "no pipe could be made"};
  const std::string where = folder.empty() ? "." : folder.string();
  const pid_t child = ::fork();
  if (child == 0) become(arguments, where.c_str(), ends[1]);
  ::close(ends[1]);
  ProgramResult result;
  if (child > 0) result.output = read_all(ends[0]);
  ::close(ends[0]);
  if (child < 0) return Error{.what = cat("'", words[0], "' could not be started")};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

}  // namespace chop::support

// Writers hold a lock (flock) on their temporary file for as long as they live. So a file that can
// be locked has no writer: it was left behind by a process that was killed, and is removed. Files
// younger than a minute are left alone, since a writer makes its file first and locks it then;
// not so where a lock on the folder keeps other writers out.
#include "support/system/temporary_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ext/stdio_filebuf.h>

#include <cerrno>
#include <ctime>
#include <random>

#include "support/cat.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::support {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = ".tmp-";
constexpr std::time_t kYoungSeconds = 60;
constexpr int kTries = 100;

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t kLetterCount = 12;

std::string random_letters() {
  std::random_device device;
  std::uniform_int_distribution<std::size_t> letter(0, kLetters.size() - 1);
  std::string letters(kLetterCount, ' ');
  for (char& one : letters) one = kLetters[letter(device)];
  return letters;
}

/// The name of the file that a temporary one is meant for; "" where beside() gives no such names.
std::string_view target_of(std::string_view name) {
  const std::size_t mark = name.rfind(kMark);
  if (mark == name.npos) return {};
  const std::string_view letters = name.substr(mark + std::string_view(kMark).size());
  const bool ours =
      letters.size() == kLetterCount && letters.find_first_not_of(kLetters) == letters.npos;
  return ours ? name.substr(0, mark) : std::string_view();
}

/// Whether version 0.1.0 gave this name, FILE.tmpPROCESS-NUMBER, and the process is no more.
bool is_of_ended_process(std::string_view name) {
  constexpr std::string_view kOldMark = ".tmp";
  const std::size_t mark = name.rfind(kOldMark);
  const std::size_t dash = name.rfind('-');
  if (mark == name.npos || mark == 0 || dash == name.npos || dash < mark) return false;
  const std::size_t begin = mark + kOldMark.size();
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  };
  if (!is_number(name.substr(begin, dash - begin)) || !is_number(name.substr(dash + 1)))
    return false;
  const auto process = parse_int(name.substr(begin, dash - begin));
  return process && std::in_range<pid_t>(*process) && *process > 0 &&
         ::kill(static_cast<pid_t>(*process), 0) != 0 && errno == ESRCH;
}

bool is_abandoned(const fs::path& path, OtherWriters others) {
  const int handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (handle < 0) return false;
  struct stat status = {};
  const bool abandoned =
      ::fstat(handle, &status) == 0 && S_ISREG(status.st_mode) &&
      (others == OtherWriters::None || std::time(nullptr) - status.st_mtime > kYoungSeconds) &&
      ::flock(handle, LOCK_EX | LOCK_NB) == 0;
  ::close(handle);
  return abandoned;
}

void remove_abandoned(const fs::path& path) {
  const std::string target = path.filename().string();
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code))
    if (target_of(at->path().filename().string()) == target &&
        is_abandoned(at->path(), OtherWriters::Possible))
      ::unlink(at->path().c_str());
}

}  // namespace

struct TemporaryFile::State {
  State(fs::path meant_for, fs::path name, int handle)
      : target(std::move(meant_for)),
        own(std::move(name)),
        buffer(handle, std::ios::out | std::ios::binary),
        out(&buffer) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (!committed) ::unlink(own.c_str());
  }

  fs::path target;
  fs::path own;
  __gnu_cxx::stdio_filebuf<char> buffer;
  std::ostream out;
  bool committed = false;
};

TemporaryFile::TemporaryFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
TemporaryFile::TemporaryFile(TemporaryFile&&) noexcept = default;
TemporaryFile& TemporaryFile::operator=(TemporaryFile&&) noexcept = default;
TemporaryFile::~TemporaryFile() = default;

std::optional<TemporaryFile> TemporaryFile::beside(const fs::path& path) {
  remove_abandoned(path);
  for (int i = 0; i < kTries; ++i) {
    fs::path own = path;
    own += kMark + random_letters();
    const int handle =
        ::open(own.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (handle < 0 && errno == EEXIST) continue;
    if (handle < 0) break;
    (void)::flock(handle, LOCK_EX | LOCK_NB);  // file systems without locks keep their strays
    return TemporaryFile(std::make_unique<State>(path, std::move(own), handle));
  }
  return std::nullopt;
}

void remove_temporary_files(const fs::path& folder, OtherWriters others) {
  std::error_code code;
  for (fs::recursive_directory_iterator at(folder, code), end; !code && at != end;
       at.increment(code)) {
    const std::string name = at->path().filename().string();
    // Processes of 0.1.0 hold no lock, and may be of another machine.
    const bool gone = target_of(name).empty() ? is_of_ended_process(name) &&
                                                    is_abandoned(at->path(), OtherWriters::Possible)
                                              : is_abandoned(at->path(), others);
    if (gone && ::unlink(at->path().c_str()) == 0)
      log_debug(cat("Removed ", at->path().string(), ", which a killed run left"));
  }
}

std::ostream& TemporaryFile::stream() {
  return state_->out;
}

bool TemporaryFile::commit() {
  // To the disk before the rename, so that a power cut leaves the old file or the whole new one.
  state_->committed = state_->out.flush().good() && ::fsync(state_->buffer.fd()) == 0 &&
                      ::rename(state_->own.c_str(), state_->target.c_str()) == 0;
  if (state_->committed) log_debug(cat("Wrote ", state_->target.string()));
  return state_->committed;
}

}  // namespace chop::support

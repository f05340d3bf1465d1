#include "golden/golden_file.hpp"

#include <algorithm>

#include "support/paths.hpp"
#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::test {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kOutput = "# => output\n";
constexpr std::string_view kError = "# => error\n";
constexpr std::string_view kCommand = "# command: ";

/// Words at blanks; single quotes keep blanks together, as in a shell.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  bool started = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
      started = true;
    } else if (c == ' ' && !quoted) {
      if (started) words.push_back(word);
      word.clear();
      started = false;
    } else {
      word += c;
      started = true;
    }
  }
  if (started) words.push_back(word);
  return words;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace

Result<GoldenFile> GoldenFile::read(const fs::path& path) {
  CH_TRY(const std::string text, read_file(path));
  GoldenFile file{.path = path};
  std::size_t mark = text.find(kOutput);
  std::size_t width = kOutput.size();
  if (const std::size_t error = text.find(kError); error < mark) {
    file.is_error = true;
    mark = error;
    width = kError.size();
  }
  file.input = text.substr(0, mark);
  if (mark != std::string::npos) file.expected = text.substr(mark + width);
  for (const std::string& line : lines_of(file.input)) {
    if (line.starts_with(kCommand)) file.command = words_of(line.substr(kCommand.size()));
  }
  if (file.command.empty() || file.command[0] != "ch")
    return Error{.what = cat(path.filename().string(), " has no line '# command: ch ...'")};
  file.command.erase(file.command.begin());
  return file;
}

std::string GoldenFile::text_with(bool error, const std::string& said) const {
  return cat(input, error ? kError : kOutput, said);
}

std::string GoldenFile::repeat() const {
  std::string line =
      cat("sed '/^# =>/,$d' ", fs::relative(path, source_path("")).string(), " | ./ch");
  for (const std::string& word : command)
    line += word.find(' ') == std::string::npos ? cat(" ", word) : cat(" '", word, "'");
  return line;
}

std::vector<fs::path> golden_files() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(source_path("tests/golden")))
    if (entry.path().extension() == ".golden") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// By the longest common subsequence; texts are short, so the table of all lengths is small.
std::string unified_diff(const std::string& before, const std::string& after) {
  if (before == after) return "";
  const std::vector<std::string> a = lines_of(before);
  const std::vector<std::string> b = lines_of(after);
  std::vector<std::vector<std::size_t>> common(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  std::string text = "--- expected\n+++ now\n";
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      text += cat("  ", a[i++], "\n");
      ++j;
    } else if (i < a.size() && (j == b.size() || common[i + 1][j] >= common[i][j + 1])) {
      text += cat("- ", a[i++], "\n");
    } else {
      text += cat("+ ", b[j++], "\n");
    }
  }
  return text;
}

}  // namespace chop::test

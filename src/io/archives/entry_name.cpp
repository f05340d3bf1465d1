#include "io/archives/entry_name.hpp"

#include "support/cat.hpp"
#include "support/escape.hpp"

namespace chop::io {

std::string wrong_entry_name(std::string_view name) {
  if (name.empty()) return "an entry has no name";
  if (name.front() == '/') return cat("entry '", shown_in_message(name), "' has an absolute path");
  if (name.find('\\') != std::string_view::npos)
    return cat("entry '", shown_in_message(name), "' has a backslash in its name");
  if (name.size() > 1 && name[1] == ':')
    return cat("entry '", shown_in_message(name), "' names a drive in its path");
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (name.substr(begin, end - begin) == "..")
      return cat("entry '", shown_in_message(name), "' leads out of the archive with '..'");
    begin = end + 1;
  }
  return {};
}

}  // namespace chop::io

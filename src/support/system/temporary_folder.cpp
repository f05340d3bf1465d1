#include "support/system/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace chop::support {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error)
    return Error{.what = cat("there is no folder for temporary files: ", error.message()),
                 .hint = "TMPDIR names one; without it, it is /tmp"};
  std::string name = (parent / "ch-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    return Error{
        .what = cat("cannot create a folder in '", parent.string(), "': ", std::strerror(errno)),
        .hint = "TMPDIR names another place"};
  return TemporaryFolder(name);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace chop::support

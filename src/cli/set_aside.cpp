#include "cli/set_aside.hpp"

#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

namespace fs = std::filesystem;

/// What a folder holds but the lock of the run that holds it now.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, code))
    if (entry.path().filename() != ".lock") entries.push_back(entry.path());
  return entries;
}

/// The folder itself stays, with its lock.
std::error_code move_contents(const std::vector<fs::path>& entries, const fs::path& to) {
  std::error_code code;
  fs::create_directory(to, code);
  for (const fs::path& entry : entries)
    if (!code) fs::rename(entry, to / entry.filename(), code);
  return code;
}

/// Gives a file a second name, so that its own is there until the new file replaces it. Writing to
/// a symbolic link replaces the file it leads to, so that file is the one to keep.
std::error_code keep_file(const fs::path& path, const fs::path& kept) {
  std::error_code code;
  const bool is_link = fs::is_symlink(path, code);
  const fs::path file = is_link ? fs::canonical(path, code) : path;
  if (!code) fs::create_hard_link(file, kept, code);
  if (!code) return code;
  // Not every file system has hard links, and none has them to another file system.
  if (is_link)
    fs::copy_file(file, kept, code);
  else
    fs::rename(path, kept, code);
  return code;
}

/// Of the files in a folder: calls f(path, the same in `other`).
template <class F>
void for_each_file(const fs::path& folder, const fs::path& other, F&& f) {
  std::error_code code;
  for (const fs::path& entry : entries_of(folder)) {
    if (fs::is_regular_file(fs::symlink_status(entry, code))) f(entry, other / entry.filename());
    for (const fs::directory_entry& inner : fs::recursive_directory_iterator(entry, code))
      if (inner.is_regular_file(code))
        f(inner.path(), other / inner.path().lexically_relative(folder));
  }
}

/// Whether all files of `folder` are in `kept` too: those of a run that did not write any.
bool is_kept(const fs::path& folder, const fs::path& kept) {
  bool any = false;
  bool same = true;
  std::error_code code;
  for_each_file(folder, kept, [&](const fs::path& file, const fs::path& other) {
    any = true;
    same = same && fs::equivalent(file, other, code);
  });
  return any && same;
}

/// Gives every file of a folder a second name; moves them where that cannot be done.
std::error_code keep_contents(const fs::path& folder, const fs::path& kept) {
  std::error_code code;
  fs::create_directory(kept, code);
  for_each_file(folder, kept, [&](const fs::path& file, const fs::path& other) {
    if (!code) fs::create_directories(other.parent_path(), code);
    if (!code) fs::create_hard_link(file, other, code);
  });
  if (!code) return code;
  fs::remove_all(kept, code);
  return move_contents(entries_of(folder), kept);
}

/// Where it is kept; empty: there is nothing to keep.
Result<fs::path> keep(const fs::path& path, Plain plain) {
  std::error_code code;
  if (!fs::exists(path, code)) return fs::path();
  const bool is_folder = fs::is_directory(path, code);
  const std::vector<fs::path> entries = is_folder ? entries_of(path) : std::vector<fs::path>();
  if (is_folder && entries.empty()) return fs::path();
  fs::path kept;
  for (int version = 1; kept.empty() || fs::exists(kept, code); ++version) {
    if (!kept.empty() && (is_folder ? is_kept(path, kept) : fs::equivalent(path, kept, code)))
      return kept;  // of a run that did not start
    kept = path.parent_path() / cat(path.stem().string(), "-v", version, path.extension().string());
  }
  if (is_folder) {
    code = plain == Plain::Stays ? keep_contents(path, kept) : move_contents(entries, kept);
  } else {
    code = keep_file(path, kept);
  }
  if (code)
    return Error{.what = cat("cannot rename '", path.string(), "': ", code.message()),
                 .hint = "it is of an earlier run; --project NAME begins another project"};
  log_info(cat("Kept the ", path.filename().string(), " of an earlier run as ",
               kept.filename().string()));
  return kept;
}

}  // namespace

Status set_aside(const fs::path& path) {
  CH_TRY([[maybe_unused]] const fs::path kept, keep(path, Plain::Stays));
  return {};
}

Result<fs::path> set_aside_folder(const fs::path& folder, Plain plain) {
  return keep(folder, plain);
}

void drop_earlier(const fs::path& folder, const fs::path& kept) {
  if (kept.empty()) return;
  std::error_code code;
  std::vector<fs::path> earlier;
  for_each_file(folder, kept, [&](const fs::path& file, const fs::path& other) {
    if (fs::equivalent(file, other, code)) earlier.push_back(file);
  });
  for (const fs::path& file : earlier) {
    fs::remove(file, code);
    for (fs::path up = file.parent_path(); up != folder && fs::is_empty(up, code);
         up = up.parent_path())
      fs::remove(up, code);
  }
}

void put_back(const fs::path& folder, const fs::path& kept) {
  if (kept.empty()) return;
  std::error_code code;
  for (const fs::path& entry : entries_of(folder)) fs::remove_all(entry, code);
  for (const fs::path& entry : entries_of(kept)) fs::rename(entry, folder / entry.filename(), code);
  fs::remove(kept, code);
  if (!code)
    log_info(cat("The ", folder.filename().string(), " of the earlier run is in its place again"));
}

}  // namespace chop::cli

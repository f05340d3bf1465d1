// The folder of a run: the one the user names, the newest one that the run continues, the one a
// file it loads lies in, or a new one named after model, task, data set and time.
#include "cli/project.hpp"

#include <cctype>
#include <ctime>

#include "support/system/log.hpp"
#include "support/system/temporary_file.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

namespace fs = std::filesystem;

/// "2026-01-31_12-00-00"
std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d_%H-%M-%S", &local)};
}

bool starts_with_date(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00";
  return text.size() >= kForm.size() &&
         std::equal(kForm.begin(), kForm.end(), text.begin(), [](char form, char c) {
           return form == '0' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : form == c;
         });
}

/// The file name alone where a path stands for a name, and no separators in what is left.
std::string as_folder_name(std::string text) {
  if (text.ends_with(".toml") || fs::exists(text)) text = fs::path(text).stem().string();
  std::replace(text.begin(), text.end(), '/', '-');
  return text;
}

fs::path all_projects(const Settings& settings) {
  return settings.text_or_empty("project_dir");
}

/// What the names of this model's, task's and data set's projects begin with; a time follows.
std::string name_start(const Settings& settings) {
  return cat(as_folder_name(settings.text_or_empty("model")), "_", settings.text_or_empty("task"),
             "_", as_folder_name(settings.text_or_empty("dataset")), "_");
}

/// Of the projects with `start` in front of their time: the one whose `file` was written last.
std::optional<fs::path> newest_with(const fs::path& folder, const std::string& start,
                                    const fs::path& file) {
  std::optional<fs::path> newest;
  fs::file_time_type newest_time;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, code)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(start) || !starts_with_date(std::string_view(name).substr(start.size())))
      continue;
    std::error_code missing;
    const fs::file_time_type time = fs::last_write_time(entry.path() / "software" / file, missing);
    if (missing || (newest && time <= newest_time)) continue;
    newest = entry.path();
    newest_time = time;
  }
  return newest;
}

/// The project of `folder` that `file` lies in.
std::optional<fs::path> project_of(const fs::path& folder, const fs::path& file) {
  std::error_code code;
  const fs::path all = fs::weakly_canonical(folder, code);
  const fs::path inside = fs::weakly_canonical(file, code).lexically_relative(all);
  if (inside.empty() || *inside.begin() == ".." || *inside.begin() == ".") return {};
  if (std::find(inside.begin(), inside.end(), "software") != std::next(inside.begin())) return {};
  return folder / *inside.begin();
}

std::optional<fs::path> known_project(const Settings& settings, const ProjectUse& use) {
  const fs::path all = all_projects(settings);
  if (const auto named = settings.text("project")) return all / *named;
  if (!use.continues.empty())
    if (auto newest = newest_with(all, name_start(settings), fs::path(use.area) / use.continues))
      return newest;
  if (!use.beside.empty()) return project_of(all, use.beside);
  return {};
}

constexpr const char* kLockedHint =
    "wait until it ends, or give this run another project: --project NAME";

fs::path area_in_project(const ProjectUse& use) {
  return fs::path("software") / use.area;
}

/// Removes what killed runs left half-written. The lock is held.
void tidy_up(const Session& session, const ProjectUse& use) {
  const OtherWriters others =
      use.share == FolderLock::Share::No ? OtherWriters::None : OtherWriters::Possible;
  remove_temporary_files(session.software() / use.area, others);
  if (!use.also.empty()) remove_temporary_files(session.software() / use.also, others);
}

}  // namespace

std::string projects_like(const Settings& settings) {
  return (all_projects(settings) / (name_start(settings) + "*")).string();
}

Status open_project(Session& session, const Settings& settings, const ProjectUse& use) {
  bool is_there = false;
  if (const auto project = known_project(settings, use)) {
    std::error_code ignored;
    is_there = fs::exists(*project, ignored);
    CH_TRY(session.lock,
           FolderLock::take(*project / area_in_project(use), use.purpose, use.share, kLockedHint));
    session.project = *project;
  } else {
    // Runs that begin in the same second have names that differ, too.
    const std::string name = name_start(settings) + now_text();
    for (int twin = 1; !session.lock; ++twin) {
      session.project = all_projects(settings) / (twin == 1 ? name : cat(name, "-", twin));
      CH_TRY(session.lock, FolderLock::take_new(session.project, area_in_project(use), use.purpose,
                                                use.share, kLockedHint));
    }
  }
  tidy_up(session, use);
  log_info(
      cat(is_there ? "Project is at " : "Project will be created at ", session.project.string()));
  return {};
}

Result<bool> restore_project(Session& session) {
  if (!session.lock) return false;
  CH_TRY(const bool restored, session.lock->restore());
  if (restored)
    log_warning(cat("The folder ", session.project.string(),
                    " was removed during the run; what the run still knows is written anew"));
  return restored;
}

}  // namespace chop::cli

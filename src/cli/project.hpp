// The folder of a run: which one it is, and that no other run writes into it meanwhile.
#pragma once

#include <filesystem>

#include "cli/session.hpp"

namespace chop::cli {

/// What an action does with its project.
struct ProjectUse {
  std::string_view area;       ///< the folder of <project>/software that it locks and writes into
  std::string purpose;         ///< "`ch train`": what another process is told that finds it locked
  std::string_view also = {};  ///< another folder that only holders of this lock write into
  FolderLock::Share share = FolderLock::Share::No;
  /// Without --project: a file of `area` that the project to go on with has; empty: a new project.
  std::string_view continues = {};
  /// Without --project: a file whose project is taken, if it is in one; may be empty.
  std::filesystem::path beside = {};
};

/// Sets session.project and session.lock. The project is <project_dir>/<--project>; without
/// --project the newest one that ProjectUse means, else a new {model}_{task}_{dataset}_{time}.
/// An error if another run writes into the same area. Temporary files there that killed runs left
/// are removed.
Status open_project(Session& session, const Settings& settings, const ProjectUse& use);

/// "mase_output/jsc-tiny_classification_jsc_*": projects of this model, task and data set.
std::string projects_like(const Settings& settings);

/// Makes the project's folders and its lock anew if somebody removed them, which is warned of;
/// true then. An error when another run has taken the project meanwhile.
Result<bool> restore_project(Session& session);

}  // namespace chop::cli

// What earlier runs of a project left is kept under a number; the plain name is always the newest.
#pragma once

#include <filesystem>

#include "support/result.hpp"

namespace chop::cli {

/// Keeps the file or the contents of the folder `path`, if there are any, under the first of
/// best-v1.ckpt, best-v2.ckpt ... that is free: the higher number is the newer one. A file keeps
/// its plain name too, until the run has something to put there: a run that ends before that
/// changes nothing. Says so in the log.
Status set_aside(const std::filesystem::path& path);
/// The same for a folder, with the folder its contents are kept in; empty: there were none.
/// `Plain::Stays`: every file keeps its plain name too, as a single file does.
enum class Plain : std::uint8_t { Goes, Stays };
Result<std::filesystem::path> set_aside_folder(const std::filesystem::path& folder, Plain plain);

/// For a run that is done: removes what is in `folder` under plain names and in `kept` as well, and
/// was not written anew.
void drop_earlier(const std::filesystem::path& folder, const std::filesystem::path& kept);
/// For a run that failed: what is in `folder` now is removed, and what is in `kept` comes back.
/// Nothing happens where `kept` is empty.
void put_back(const std::filesystem::path& folder, const std::filesystem::path& kept);

}  // namespace chop::cli

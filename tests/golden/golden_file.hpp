// A golden file: a graph, a command, and what the command says about it.
//
//   # What it shows, in a sentence or two.
//   # command: ch lower - --after fuse
//   graph net { ... }
//   # => output
//   what the command prints; after `# => error` what it complains about
//
// `-` is the graph.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/result.hpp"

namespace chop::test {

struct GoldenFile {
  std::filesystem::path path;
  std::string input;                 ///< everything before the mark: comments and the graph
  std::vector<std::string> command;  ///< its words, without `ch`
  bool is_error = false;
  std::string expected;

  static Result<GoldenFile> read(const std::filesystem::path& path);
  /// The same file with another expectation.
  std::string text_with(bool error, const std::string& said) const;
  /// What a person types to see it again.
  std::string repeat() const;
};

/// Every golden file, in the order of their names.
std::vector<std::filesystem::path> golden_files();

/// The lines that differ, as `diff -u` shows them; empty if none does.
std::string unified_diff(const std::string& before, const std::string& after);

}  // namespace chop::test

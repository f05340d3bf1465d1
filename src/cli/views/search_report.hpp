// What a search shows and leaves behind: the space, progress, tables, pictures, JSON.
#pragma once

#include <filesystem>

#include "cli/action_def.hpp"
#include "report/svg.hpp"
#include "search/engine.hpp"
#include "search/results.hpp"
#include "support/system/progress.hpp"

namespace chop::cli {

/// Tables of trials show the parameters in columns up to so many, more of them in one column.
constexpr std::size_t kMostParameterColumns = 8;
/// The part of a parameter's name that distinguishes it from others: "seq_blocks_2/weight_width".
std::string short_name(const std::string& name);

/// Every parameter with its choices, then what has one choice; and how many points there are.
std::string space_text(const SearchProblem& problem, TableStyle style);

/// A bar on terminals, a log line every tenth of the way and at every new best elsewhere.
class SearchProgress {
 public:
  SearchProgress(const SearchProblem& problem, std::int64_t n_trials);
  void on_trial(const Trial& trial);
  void finish() { bar_.finish(); }

 private:
  std::string standing() const;

  const SearchConfig& config_;
  std::vector<Direction> directions_;
  std::int64_t n_trials_;
  std::int64_t done_ = 0;
  std::int64_t logged_ = 0;   ///< tenths of the way that were logged
  std::vector<Trial> front_;  ///< best so far
  Progress bar_;
};

/// By the first objective: number, metrics that count, other metrics, parameters. For people, many
/// parameters stand in one column.
enum class TrialColumns : std::uint8_t { Few, All };
Table best_table(const SearchProblem& problem, std::vector<const Trial*> best,
                 TrialColumns columns);

/// log.json, best.json and pictures of the front, the course of the search and what matters. Those
/// of another study are kept under a number; of the same study they are the same and more.
enum class StudyAge : std::uint8_t { New, Continued };
Status write_search_files(const std::filesystem::path& folder, const SearchProblem& problem,
                          std::span<const Trial> trials, const std::string& title, StudyAge age);

}  // namespace chop::cli

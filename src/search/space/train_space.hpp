// The search space of training options: learning rate, batch size, optimiser ...
//
//   [search.search_space.train]
//   learning_rate = { low = 1e-4, high = 1e-1, log = true }
//   batch_size = [64, 128, 256]
//   optimizer = ["adam", "sgd"]
#pragma once

#include "config/args.hpp"
#include "search/space/candidate.hpp"
#include "search/space/space.hpp"

namespace chop::search {

/// The field of an option of training for the table of a trial: without a default, because it may
/// be left out, and under another name if one is given.
Field trial_field(std::string_view option, std::string_view name = {});

class TrainSpace {
 public:
  /// `table` is [search.search_space.train].
  static Result<TrainSpace> make(const Tree& table, const ArgSource& source);

  const std::vector<SpaceParameter>& parameters() const { return parameters_; }
  std::vector<std::pair<std::string, Tree>> fixed() const;
  void apply(std::span<const double> values, Candidate& candidate) const;

  /// Names of all options that can be searched, for help.
  static std::vector<std::string> known();

 private:
  struct Entry {
    std::string key;                            ///< "learning_rate"
    std::optional<std::size_t> parameter = {};  ///< nothing: one choice
    Tree only = {};
  };
  Status add(const std::string& key, const Tree& value, const ArgSource& source);

  std::vector<Entry> entries_;
  std::vector<SpaceParameter> parameters_;
};

}  // namespace chop::search

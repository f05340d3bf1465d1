// Loss, accuracy and confusion of a classifier, added up batch by batch.
//
// Losses are kept by batch and added in the order of the batches, so the result has the same bits
// whichever thread ran which batch.
#pragma once

#include "train/program.hpp"

namespace chop::train {

struct Metrics {
  double loss = 0;  ///< mean cross entropy over rows
  std::int64_t rows = 0;
  std::int64_t correct = 0;
  std::int64_t classes = 0;
  std::vector<std::int64_t> confusion;  ///< [true class][predicted class], if asked for

  double accuracy() const {
    return rows == 0 ? 0 : static_cast<double>(correct) / static_cast<double>(rows);
  }
};

enum class Confusion : std::uint8_t { No, Yes };

class Tally {
 public:
  Tally(std::int64_t batches, std::size_t lanes, std::int64_t classes, Confusion confusion);

  /// What a program found that has just run a batch. Lanes may call this at once.
  void add(std::int64_t batch, std::size_t lane, const Program& program);
  /// Of the batches added so far.
  Metrics total() const;

 private:
  struct Batch {
    double loss = 0;  ///< the sum over its rows
    std::int64_t correct = 0;
    std::int64_t rows = 0;
  };
  std::int64_t classes_;
  std::vector<Batch> batches_;
  std::vector<std::vector<std::int64_t>> confusion_;  ///< by lane; empty if not asked for
};

}  // namespace chop::train

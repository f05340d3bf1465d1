// Merges several studies into one.
#pragma once

#include "search/store/store.hpp"

namespace chop::search {

struct MergeResult {
  std::int64_t merged = 0;
  std::int64_t known = 0;       ///< merged before, so not again
  std::int64_t unfinished = 0;  ///< left where they are
  std::int64_t before = 0;      ///< trials that were there
  bool created = false;
};

/// Appends the finished trials of `sources` to the study `name` of `into`, in the order they began.
/// A missing study is created like the first source. Each trial keeps, in a system
/// attribute, where it came from; so nothing is merged twice. Studies of different spaces,
/// objectives, networks or rows are an error.
Result<MergeResult> merge_studies(const std::vector<Study>& sources, StudyStore& into,
                                  const std::string& name);

}  // namespace chop::search

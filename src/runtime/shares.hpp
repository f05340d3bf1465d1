// Steps of a few microseconds shared among threads: every thread computes a share of the elements.
//
// Only for results whose elements are each computed by themselves, in an order of their own that no
// other element has a part in. Then shares may depend on the number of threads, and bits do not.
#pragma once

#include "support/system/threads.hpp"

namespace chop::runtime {

/// Elements [begin, end) of a result.
struct Share {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

/// The share of one of `parts` in `count` elements, in whole units but for the last.
inline Share share_of(std::int64_t count, std::int64_t unit, int part, int parts) {
  const std::int64_t units = (count + unit - 1) / unit;
  return {std::min(count, units * part / parts * unit),
          std::min(count, units * (part + 1) / parts * unit)};
}

/// How many threads to share `work` among now, so that each has at least `least` of it.
inline int worthwhile_parts(int threads, std::int64_t work, std::int64_t least) {
  if (threads <= 1 || work < 2 * least) return 1;
  return short_threads(static_cast<int>(std::min<std::int64_t>(work / least, threads)));
}

}  // namespace chop::runtime

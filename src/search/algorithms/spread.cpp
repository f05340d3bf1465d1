#include "search/algorithms/spread.hpp"

#include "search/algorithms/sobol.hpp"

namespace chop::search {

Point spread_point(const Space& space, std::uint64_t seed, std::int64_t index, Scramble scramble) {
  const Stream random(seed, "search/spread", static_cast<std::uint64_t>(index));
  Point point(space.dimensions(), kInactive);
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (!space.active(point, i)) continue;
    double u = random.uniform(i);
    if (i < kSobolDimensions) {
      std::uint32_t bits = sobol_bits(i, static_cast<std::uint32_t>(index));
      if (scramble == Scramble::Yes)
        bits = scrambled_bits(bits, Stream(seed, "search/scramble", i));
      u = sobol_fraction(bits);
    }
    point[i] = value_at(space.parameters()[i].distribution, u);
  }
  return point;
}

}  // namespace chop::search

// Random search: every parameter drawn uniformly and independently (over its logarithm where the
// space says so).
#include "search/algorithms/sampler_def.hpp"

namespace chop::search::samplers::random {
namespace {

class RandomSampler : public Sampler {
 public:
  explicit RandomSampler(const SamplerContext& context)
      : space_(context.space), seed_(context.seed) {}

  Result<Proposal> propose(std::span<const SampledTrial>, std::int64_t number) override {
    const Stream stream(seed_, "search/random", static_cast<std::uint64_t>(number));
    return Proposal{.point = space_.draw(stream)};
  }

 private:
  const Space& space_;
  std::uint64_t seed_;
};

Result<std::unique_ptr<Sampler>> make(const SamplerContext& context, const Args&) {
  return std::unique_ptr<Sampler>(std::make_unique<RandomSampler>(context));
}

}  // namespace

SamplerDef define() {
  return {.name = "random",
          .doc = "every parameter drawn evenly and on its own",
          .details = "points may come twice",
          .reproducible = "for any number of workers",
          .make = make};
}

}  // namespace chop::search::samplers::random

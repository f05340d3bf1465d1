// Quasi-Monte Carlo sampling: trial n is point n of Sobol's sequence, which covers the space more
// evenly than random points. Scrambled by the seed unless `scramble` is false.
#include "search/algorithms/sampler_def.hpp"
#include "search/algorithms/sobol.hpp"
#include "search/algorithms/spread.hpp"
#include "support/text.hpp"

namespace chop::search::samplers::qmc {
namespace {

class QmcSampler : public Sampler {
 public:
  QmcSampler(const SamplerContext& context, Scramble scramble)
      : space_(context.space), seed_(context.seed), scramble_(scramble) {}

  Result<Proposal> propose(std::span<const SampledTrial>, std::int64_t number) override {
    return Proposal{.point = spread_point(space_, seed_, number, scramble_)};
  }

 private:
  const Space& space_;
  std::uint64_t seed_;
  Scramble scramble_;
};

Result<std::unique_ptr<Sampler>> make(const SamplerContext& context, const Args& args) {
  if (context.space.dimensions() > kSobolDimensions)
    return Error{.what = cat("Sobol's sequence is known here for ", kSobolDimensions,
                             " parameters, the space has ", context.space.dimensions()),
                 .hint = "take another sampler: random, tpe, nsgaii"};
  const Scramble scramble = args.flag("scramble") ? Scramble::Yes : Scramble::No;
  return std::unique_ptr<Sampler>(std::make_unique<QmcSampler>(context, scramble));
}

}  // namespace

SamplerDef define() {
  return {.name = "qmc",
          .aliases = {"sobol", "quasi_random"},
          .doc = "Sobol's sequence, which fills the space more evenly than random points",
          .details = "points of a finite space may come twice",
          .reproducible = "for any number of workers",
          .args = {{.name = "scramble",
                    .initial = true,
                    .doc = "scramble the points by the seed; without, every seed gives the same"}},
          .make = make};
}

}  // namespace chop::search::samplers::qmc

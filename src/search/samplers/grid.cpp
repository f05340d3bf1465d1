// Grid search: every point of the space once, in order, the last parameter changing fastest. A
// point that failed is tried once more, after all others.
#include "search/algorithms/history.hpp"
#include "search/algorithms/sampler_def.hpp"

namespace chop::search::samplers::grid {
namespace {

class GridSampler : public Sampler {
 public:
  explicit GridSampler(const SamplerContext& context)
      : space_(context.space), history_(context.directions) {}

  Result<Proposal> propose(std::span<const SampledTrial> trials, std::int64_t) override {
    if (!history_.follow(trials)) next_ = 0;
    for (; next_ < *space_.size(); ++next_) {
      Point point = space_.at(next_);
      if (history_.find(point) == nullptr) return Proposal{.point = std::move(point)};
    }
    for (const std::size_t index : history_.failed()) {
      const Point& point = trials[index].point;
      if (!history_.is_settled(point)) return Proposal{.point = point};
    }
    return nothing_new(history_);
  }

 private:
  const Space& space_;
  History history_;
  std::int64_t next_ = 0;  ///< all points before it were tried
};

Result<std::unique_ptr<Sampler>> make(const SamplerContext& context, const Args&) {
  if (context.space.size()) return std::unique_ptr<Sampler>(std::make_unique<GridSampler>(context));
  return Error{.what = "the space has too many points to try them all",
               .hint = "give real numbers a step, leave choices out, or take another sampler"};
}

}  // namespace

SamplerDef define() {
  return {.name = "grid",
          .aliases = {"brute_force", "grid_search"},
          .doc = "every point of the space once, in order",
          .details = "a point that failed is tried once more at the end",
          .reproducible = "for any number of workers",
          .continuous = false,
          .make = make};
}

}  // namespace chop::search::samplers::grid

// Lets every trial run to its end.
#include "search/pruner_def.hpp"

namespace chop::pruners {
namespace {

class NoPruner : public Pruner {
 public:
  bool should_prune(std::span<const SeenTrial>, const SeenTrial&) const override { return false; }
};

}  // namespace

PrunerDef none() {
  return {.name = "none",
          .doc = "lets every trial run to its end",
          .make = [](Direction, const Args&) -> Result<std::unique_ptr<Pruner>> {
            return std::unique_ptr<Pruner>(std::make_unique<NoPruner>());
          }};
}

}  // namespace chop::pruners

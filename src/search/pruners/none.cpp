// Lets every trial run to its end.
#include "search/algorithms/pruner_def.hpp"

namespace chop::search::pruners::none {

PrunerDef define() {
  return {.name = "none", .doc = "lets every trial run to its end"};
}

}  // namespace chop::search::pruners::none

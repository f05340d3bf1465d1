// Views keep the order of the elements, and so do ops that do nothing in evaluation.
#include "hardware/lowering/lowering_def.hpp"

namespace chop::hardware::lowerings::view {

LoweringDef define() {
  return {.name = "view",
          .takes =
              [](const Node& node, const OpDef& op) {
                return has(op.traits, Trait::View) || node.op == "identity" || node.op == "dropout";
              },
          .lower = [](LoweringCall& call) -> Result<Traced> { return call.in(0); }};
}

}  // namespace chop::hardware::lowerings::view

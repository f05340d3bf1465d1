#include "compile/state.hpp"

#include "ir/verify.hpp"
#include "support/text.hpp"

namespace chop::compile {

std::set<Value> State::observed() const {
  const std::vector<Value> outputs = graph.outputs();
  std::set<Value> values(outputs.begin(), outputs.end());
  for (const auto& [value, where] : placed) values.insert(value);
  return values;
}

Status verify(const State& state) {
  CH_CHECK(verify_structure(state.graph));
  if (!state.types) return {};
  CH_TRY(const Types types, infer_types(state.graph, state.rows()));
  for (const NodeId id : state.graph.order())
    if (types[index(id)] != (*state.types)[index(id)])
      return Error{.what = cat("the types that the compiler holds for '", state.graph.node(id).name,
                               "' are not those that its operands give")};
  return {};
}

}  // namespace chop::compile

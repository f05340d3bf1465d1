#include "hardware/netlist/layer_builder.hpp"

namespace chop::hardware {
namespace {

/// "[16] 8 bits, 4 after the point, in [-128, 127]"
std::string described(const IntegerType& type) {
  const Interval range = type.range();
  return cat(to_string(type.shape), ", ", width_of(range),
             range.is_signed() ? " bits signed, " : " bits, ", type.frac, " after the point, in ",
             to_text(range));
}

}  // namespace

LayerBuilder::LayerBuilder(const IntegerCall& call, Netlist& netlist, std::string module_name,
                           const AdderOptions& adders)
    : call_(call),
      netlist_(netlist),
      name_(std::move(module_name)),
      adders_(adders),
      cells_(name_) {
  cells_.comment(cat(call.node.name, ": ", call.node.op,
                     call.node.comment.empty() ? "" : cat(", ", call.node.comment)));
  for (std::size_t input = 0; input < call.in.size(); ++input) {
    const std::string port = call.in.size() == 1 ? "x" : cat("x", input);
    cells_.comment(cat(port, " ", described(*call.in[input])));
    std::vector<WireId> wires;
    for (std::size_t i = 0; i < call.in[input]->size(); ++i)
      wires.push_back(cells_.input(cat(port, "_", i), call.in[input]->ranges[i]));
    in_.push_back(std::move(wires));
  }
  cells_.comment(cat("y ", described(call.type())));
}

Module LayerBuilder::finish(bool registered) && {
  assert(out_.size() == call_.size() && "a circuit makes every element of its result");
  for (std::size_t i = 0; i < out_.size(); ++i)
    cells_.output(cat("y_", i), registered ? cells_.registered(out_[i]) : out_[i]);
  return std::move(cells_).finish(registered ? 1 : 0);
}

}  // namespace chop::hardware

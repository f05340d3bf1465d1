// Convolutions: the matrix of the kernel for the window at every position, group by group.
#include "ops/families/layers/conv.hpp"
#include "hardware/lowering/matrix.hpp"

namespace chop::hardware::lowerings::conv {
namespace {

Codes windows_of(const ops::ConvShape& conv, std::int64_t group) {
  const ops::Window& win = conv.window;
  Codes window;
  for (std::int64_t od = 0; od < win.out.d; ++od)
    for (std::int64_t oh = 0; oh < win.out.h; ++oh)
      for (std::int64_t ow = 0; ow < win.out.w; ++ow)
        for (std::int64_t c = 0; c < conv.group_in(); ++c) {
          const std::int64_t plane = (group * conv.group_in() + c) * win.in.area();
          ops::for_each_tap(win, od, oh, ow,
                            [&](std::int64_t at) { window.push_back(at < 0 ? -1 : plane + at); });
        }
  return window;
}

Result<Traced> lower(LoweringCall& call) {
  CH_TRY(const LoweringCall::Scaled x, call.scaled_codes(0));
  const auto weight = static_cast<std::size_t>(call.find("weight"));
  CH_TRY(const ops::ConvShape conv,
         ops::conv_shape(call.call(), call.type(0).shape, call.type(weight).shape));
  const Shape result = call.result_shape();
  const Shape positions(result.begin() + 1, result.end());
  std::vector<Traced> groups;
  for (std::int64_t group = 0; group < conv.groups; ++group) {
    Matrix matrix{.rows = conv.group_out(),
                  .columns = conv.group_in() * conv.window.kernel.area(),
                  .window = windows_of(conv, group),
                  .positions = positions,
                  .first_row = group * conv.group_out(),
                  .suffix = conv.groups == 1 ? "" : cat("_", group)};
    CH_TRY(Traced made, lower_matrix(call, x, std::move(matrix)));
    groups.push_back(std::move(made));
  }
  if (groups.size() == 1) return groups[0];
  IntegerNode joined{
      .name = call.node().name, .op = "select", .type = {.shape = call.result_shape()}};
  std::int64_t elements = 0;
  for (const Traced& group : groups) {
    if (!group.pending.empty())
      return Error{.what =
                       "the bias of a grouped convolution is float32, or its scales are no "
                       "powers of two",
                   .hint = "give its operands the format integer"};
    joined.inputs.push_back(group.node);
    joined.type.frac = call.at(group.node).type.frac;
    elements += std::ssize(call.at(group.node).type.ranges);
  }
  for (std::int64_t i = 0; i < elements; ++i) joined.attrs["index"].push_back(i);
  return call.add(std::move(joined));
}

}  // namespace

LoweringDef define() {
  return {.name = "conv",
          .takes =
              [](const Node& node, const OpDef& /*op*/) {
                return node.op == "conv1d" || node.op == "conv2d" || node.op == "conv3d";
              },
          .lower = lower};
}

}  // namespace chop::hardware::lowerings::conv

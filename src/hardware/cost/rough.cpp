#include "hardware/cost/rough.hpp"

#include "hardware/adders/adder_graph.hpp"
#include "hardware/integer/op_def.hpp"
#include "support/text.hpp"

namespace chop::hardware {
namespace {

double matrix_luts(const LinearMap& map, const IntegerType& in, const IntegerType& out) {
  double digits = 0;
  for (const std::int64_t weight : map.weight)
    digits += static_cast<double>(canonical_digits(weight).size());
  const double windows = static_cast<double>(out.size()) / static_cast<double>(map.rows);
  return digits * windows * width_of(in.range());
}

double element_luts(const IntegerType& type) {
  double bits = 0;
  for (const Interval& range : type.ranges) bits += width_of(range);
  return 2 * bits;
}

struct Size {
  double luts = 0;
  double most = 0;      ///< of one layer
  std::string largest;  ///< its name
};

Size size_of(const IntegerGraph& graph) {
  Size size;
  for (const IntegerNode& node : graph.nodes) {
    const IntegerOpDef& op = *find_integer_op(node.op);
    if (op.build == nullptr || op.wires != nullptr) continue;
    const double luts =
        op.matrix != nullptr
            ? matrix_luts(op.matrix(node), graph.nodes[node.inputs[0]].type, node.type)
            : element_luts(node.type);
    size.luts += luts;
    if (luts > size.most) {
      size.most = luts;
      size.largest = node.name;
    }
  }
  return size;
}

std::string millions(double count) {
  return with_commas(static_cast<std::int64_t>(std::ceil(count / 1e6)));
}

}  // namespace

double rough_luts(const IntegerGraph& graph) {
  return size_of(graph).luts;
}

Status check_size(const IntegerGraph& graph) {
  const Size size = size_of(graph);
  if (size.luts <= kMostLuts) return {};
  Error error{.what = cat("everything at once would need about ", millions(size.luts),
                          " million LUTs; circuits of more than ", millions(kMostLuts),
                          " million are not built"),
              .hint = "fold it: --reuse 64 does the products of a layer in 64 cycles"};
  error.notes.push_back(
      cat("the largest layer, ", size.largest, ", about ", millions(size.most), " million"));
  return error;
}

}  // namespace chop::hardware

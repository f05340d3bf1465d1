#include "ops/core/init.hpp"

#include "ops/core/registry.hpp"
#include "support/system/threads.hpp"
#include "support/text.hpp"

namespace chop::ops {
namespace {

/// Elements of one parameter, and of a whole graph: beyond this a size is a slip.
constexpr std::int64_t kLargestParameter = std::int64_t{1} << 28;
constexpr std::int64_t kLargestGraph = std::int64_t{1} << 29;
/// Work is cut into blocks of this many elements whatever the number of threads.
constexpr std::int64_t kBlock = 1 << 16;

void fill_block(std::span<float> out, std::int64_t from, InitKind kind, double scale,
                const Stream& stream) {
  const auto first = static_cast<std::size_t>(from);
  const auto last = std::min(out.size(), first + static_cast<std::size_t>(kBlock));
  for (std::size_t i = first; i < last; ++i) {
    switch (kind) {
      case InitKind::Zeros:
        out[i] = 0.0F;
        break;
      case InitKind::Ones:
        out[i] = 1.0F;
        break;
      case InitKind::Uniform:
        out[i] = static_cast<float>((2 * stream.uniform(i) - 1) * scale);
        break;
      case InitKind::Normal:
        out[i] = static_cast<float>(stream.normal(i) * scale);
        break;
    }
  }
}

/// The product of the dimensions, or nothing when one is not positive or it is too large.
std::optional<std::int64_t> checked_size(const Shape& shape) {
  std::int64_t size = 1;
  for (const std::int64_t dim : shape) {
    if (dim <= 0 || dim > kLargestParameter / size) return {};
    size *= dim;
  }
  return size;
}

void fill_as_declared(Tensor& value, const ParamDef& def, const Call& call, std::string_view name,
                      std::uint64_t seed) {
  const double scale = def.init.scale == nullptr ? 1.0 : def.init.scale(call);
  fill(value, def.init.kind, scale, init_stream(seed, name));
  if (def.init.finish != nullptr) def.init.finish(call, value);
}

/// Sets to 0 the weights of the module at `target` that its mask leaves out.
void leave_out(Graph& graph, const Call& call, std::string_view target) {
  const ParamDef* mask = mask_of(call);
  if (mask == nullptr) return;
  const Tensor& kept = graph.find_parameter(cat(target, ".", mask->name))->value;
  for (const ParamDef& def : call.op.params) {
    if (def.role != ParamRole::Weight) continue;
    const std::span<float> weight =
        graph.find_parameter(cat(target, ".", def.name))->value.mutable_data<float>();
    const std::span<const float> there = kept.data<float>();
    for (std::size_t i = 0; i < weight.size(); ++i)
      if (there[i] == 0) weight[i] = 0;
  }
}

}  // namespace

void fill(Tensor& f32, InitKind kind, double scale, const Stream& stream) {
  assert(f32.dtype() == DType::F32 && "initial values are single precision");
  const std::span<float> out = f32.mutable_data<float>();
  const std::int64_t blocks = (f32.size() + kBlock - 1) / kBlock;
  parallel_for(hardware_threads(), blocks,
               [&](std::int64_t block) { fill_block(out, block * kBlock, kind, scale, stream); });
}

Stream init_stream(std::uint64_t seed, std::string_view name) {
  return Stream(seed, cat("init/", name));
}

Status add_parameters(Graph& graph, const OpDef& op, const Attrs& attrs, std::string_view target,
                      std::uint64_t seed) {
  const Call call{op, attrs};
  std::int64_t total = 0;
  for (const Parameter& parameter : graph.parameters()) total += parameter.value.size();
  for (const ParamDef& def : op.params) {
    if (!is_present(def, call)) continue;
    const std::string name = cat(target, ".", def.name);
    const Shape shape = def.shape(call);
    const std::optional<std::int64_t> size = checked_size(shape);
    if (!size)
      return Error{.what = cat("parameter '", name, "' would have the shape ", to_string(shape)),
                   .hint = cat("every size must be at least 1, and one parameter may hold ",
                               with_commas(kLargestParameter), " numbers")};
    total += *size;
    if (total > kLargestGraph)
      return Error{.what = cat("with parameter '", name, "' the network would hold ",
                               with_commas(total), " numbers"),
                   .hint = cat("at most ", with_commas(kLargestGraph), " are allowed")};
    Tensor value(DType::F32, shape);
    fill_as_declared(value, def, call, name, seed);
    graph.add_parameter({.name = name, .value = std::move(value), .trainable = def.trainable});
  }
  leave_out(graph, call, target);
  return {};
}

void apply_masks(Graph& graph) {
  for (const NodeId id : graph.order())
    if (const Node& node = graph.node(id); node.opcode == Opcode::CallModule)
      leave_out(graph, {op_of(node), node.attrs}, node.target);
}

}  // namespace chop::ops

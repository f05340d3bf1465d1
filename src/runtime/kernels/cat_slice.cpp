// cat, slice and pad_slice: blocks of bytes copied along one dimension; full: one value everywhere.
//
// A tensor [2, 3, 4] seen from dimension 1 is two blocks of 12 numbers; its slice 1:3 copies the
// last 8 of each.
#include <cstring>

#include "ops/families/indexing/shapes.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"

namespace chop::runtime::kernels {
namespace {

/// A tensor as `outer` blocks of `bytes` bytes each: everything from dimension `axis` on.
struct Blocks {
  std::size_t outer = 1;
  std::size_t bytes = 0;
};

Blocks blocks_of(const TensorType& type, std::size_t axis) {
  const std::int64_t outer = ops::product(type.shape, 0, axis);
  const std::int64_t inner = ops::product(type.shape, axis);
  return {static_cast<std::size_t>(outer), static_cast<std::size_t>(inner) * size_of(type.dtype)};
}

/// A type with its dimensions in the order of memory: channels go last.
TensorType in_memory(const KernelCall& call, TensorType type) {
  Shape& shape = type.shape;
  if (call.layout == Layout::ChannelsLast)
    std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  return type;
}

/// The attribute `dim`, counted in the order of memory.
std::size_t axis_of(const KernelCall& call) {
  const std::size_t rank = call.shape(0).size();
  const std::size_t axis = ops::axis_of(call.integer("dim"), rank).value();
  if (call.layout == Layout::Dense || axis == 0) return axis;
  return axis == 1 ? rank - 1 : axis - 1;
}

Layouts image_layouts(const KernelCall& call) {
  return call.out[0].shape.size() >= 3 ? Layouts::Both : Layouts::Dense;
}

/// Bytes of `count` steps along dimension `axis`.
std::size_t extent(const TensorType& type, std::size_t axis, std::int64_t count) {
  return static_cast<std::size_t>(count * ops::product(type.shape, axis + 1)) * size_of(type.dtype);
}

Kernel make_cat(const KernelCall& call) {
  const std::size_t axis = axis_of(call);
  const Blocks to = blocks_of(in_memory(call, call.out[0]), axis);
  std::vector<std::size_t> parts;
  for (const TensorType& type : call.in)
    parts.push_back(blocks_of(in_memory(call, type), axis).bytes);
  return [=](const KernelArgs& args, const RunContext& /*context*/) {
    for (std::size_t o = 0; o < to.outer; ++o) {
      std::byte* y = args.out[0] + o * to.bytes;
      for (std::size_t k = 0; k < parts.size(); ++k) {
        if (parts[k] > 0) std::memcpy(y, args.in[k] + o * parts[k], parts[k]);
        y += parts[k];
      }
    }
  };
}

Kernel make_slice(const KernelCall& call) {
  const std::size_t axis = axis_of(call);
  const TensorType x = in_memory(call, call.in[0]);
  std::int64_t start = call.integer("start");
  if (start < 0) start += x.shape[axis];
  const Blocks from = blocks_of(x, axis);
  const Blocks to = blocks_of(in_memory(call, call.out[0]), axis);
  const std::size_t skip = extent(x, axis, start);
  return [=](const KernelArgs& args, const RunContext& /*context*/) {
    for (std::size_t o = 0; o < to.outer && to.bytes > 0; ++o)
      std::memcpy(args.out[0] + o * to.bytes, args.in[0] + o * from.bytes + skip, to.bytes);
  };
}

Kernel make_pad_slice(const KernelCall& call) {
  const std::size_t axis = axis_of(call);
  const Blocks from = blocks_of(call.in[0], axis);
  const Blocks to = blocks_of(call.out[0], axis);
  const std::size_t skip = extent(call.out[0], axis, call.integer("start"));
  return [=](const KernelArgs& args, const RunContext& /*context*/) {
    std::memset(args.out[0], 0, to.outer * to.bytes);
    for (std::size_t o = 0; o < to.outer && from.bytes > 0; ++o)
      std::memcpy(args.out[0] + o * to.bytes + skip, args.in[0] + o * from.bytes, from.bytes);
  };
}

Kernel make_full(const KernelCall& call) {
  const std::int64_t count = numel(call.out[0].shape);
  const auto value = static_cast<float>(call.real("value"));
  return [=](const KernelArgs& args, const RunContext& /*context*/) {
    std::fill(args.output(), args.output() + count, value);
  };
}

}  // namespace

std::vector<KernelDef> cat_slice() {
  return {{"cat", make_cat, image_layouts},
          {"slice", make_slice, image_layouts},
          {"pad_slice", make_pad_slice},
          {"full", make_full}};
}

}  // namespace chop::runtime::kernels

// pad, strided_slice, tile and gather: copies in which every index of a dimension of y comes from
// one of x, or from none (ops::IndexMaps).
//
//   x [2, 3] padded to [2, 5]: rows come from 0, 1; columns from none, 0, 1, 2, none
//
// Trailing dimensions that stay as they are make blocks; along the dimension before them runs of
// neighbours are copied at once. Elements are bytes: any dtype will do.
#include <cstring>

#include "ops/families/indexing/padding.hpp"
#include "ops/families/indexing/strided.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"

namespace chop::runtime::kernels {
namespace {

/// `count` neighbours at `to` along a dimension of y that are neighbours at `from` in x; -1: none.
struct Run {
  std::int64_t to = 0;
  std::int64_t from = 0;
  std::int64_t count = 0;
};

std::vector<Run> runs_of(const Ints& map) {
  std::vector<Run> runs;
  for (std::size_t j = 0; j < map.size(); ++j) {
    const bool goes_on =
        !runs.empty() &&
        (map[j] < 0 ? runs.back().from < 0
                    : runs.back().from >= 0 && map[j] == runs.back().from + runs.back().count);
    if (goes_on)
      ++runs.back().count;
    else
      runs.push_back({static_cast<std::int64_t>(j), map[j], 1});
  }
  return runs;
}

bool is_whole(const Ints& map, std::int64_t size) {
  if (static_cast<std::int64_t>(map.size()) != size) return false;
  for (std::size_t j = 0; j < map.size(); ++j)
    if (map[j] != static_cast<std::int64_t>(j)) return false;
  return true;
}

/// A copy as loops over outer dimensions, and runs of blocks along the last one that changes.
struct MappedCopy {
  ops::IndexMaps outer;
  std::vector<std::int64_t> x_steps;  ///< of the outer dimensions, in bytes
  std::int64_t rows = 1;              ///< of y: the product of its outer dimensions
  std::int64_t row_blocks = 1;        ///< blocks in a row of y
  std::size_t block = 1;              ///< bytes
  std::vector<Run> runs;
  Ints single;  ///< where no two blocks are neighbours: the block of x for each of y
  std::vector<std::byte> fill;  ///< a block

  void fill_blocks(std::byte* y, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i, y += block) std::memcpy(y, fill.data(), block);
  }

  template <class T>
  void pick(const std::byte* x, std::byte* y) const {
    const T* const from = reinterpret_cast<const T*>(x);
    T* const to = reinterpret_cast<T*>(y);
    for (std::size_t j = 0; j < single.size(); ++j) to[j] = from[single[j]];
  }

  void copy_row(const std::byte* x, std::byte* y) const {
    if (!single.empty() && block == 4) return pick<std::uint32_t>(x, y);
    if (!single.empty() && block == 8) return pick<std::uint64_t>(x, y);
    if (!single.empty() && block == 1) return pick<std::uint8_t>(x, y);
    for (const Run& run : runs) {
      std::byte* const to = y + static_cast<std::size_t>(run.to) * block;
      if (run.from < 0)
        fill_blocks(to, run.count);
      else
        std::memcpy(to, x + static_cast<std::size_t>(run.from) * block,
                    static_cast<std::size_t>(run.count) * block);
    }
  }

  /// Where row `number` of y comes from in x, in bytes; -1: from nowhere.
  std::int64_t source(std::int64_t number) const {
    std::int64_t at = 0;
    for (std::size_t d = outer.size(); d-- > 0;) {
      const auto size = static_cast<std::int64_t>(outer[d].size());
      const std::int64_t from = outer[d][static_cast<std::size_t>(number % size)];
      if (from < 0) return -1;
      at += from * x_steps[d];
      number /= size;
    }
    return at;
  }

  void run(const KernelArgs& args, int threads) const {
    const auto row_bytes = static_cast<std::int64_t>(block) * row_blocks;
    const std::int64_t rows_per_task = std::max<std::int64_t>(1, 4 * kChunk / row_bytes);
    parallel_for(threads, (rows + rows_per_task - 1) / rows_per_task, [&](std::int64_t task) {
      for (std::int64_t r = task * rows_per_task; r < std::min(rows, (task + 1) * rows_per_task);
           ++r) {
        std::byte* const y = args.out[0] + r * row_bytes;
        const std::int64_t from = source(r);
        if (from < 0)
          fill_blocks(y, row_blocks);
        else
          copy_row(args.in[0] + from, y);
      }
    });
  }
};

/// `fill` is one element as it is stored; maps and shape are in the order of memory.
MappedCopy copy_of(ops::IndexMaps maps, Shape in, std::span<const std::byte> fill) {
  MappedCopy copy;
  copy.block = fill.size();
  while (!maps.empty() && is_whole(maps.back(), in.back())) {
    copy.block *= static_cast<std::size_t>(in.back());
    maps.pop_back();
    in.pop_back();
  }
  while (copy.fill.size() < copy.block) copy.fill.insert(copy.fill.end(), fill.begin(), fill.end());
  if (maps.empty()) {
    copy.runs = {{0, 0, 1}};
    return copy;
  }
  copy.row_blocks = static_cast<std::int64_t>(maps.back().size());
  copy.runs = runs_of(maps.back());
  const bool all_inside = std::ranges::all_of(maps.back(), [](std::int64_t at) { return at >= 0; });
  if (all_inside && 2 * copy.runs.size() > maps.back().size()) copy.single = maps.back();
  std::int64_t step = in.back() * static_cast<std::int64_t>(copy.block);
  maps.pop_back();
  in.pop_back();
  copy.x_steps.resize(maps.size());
  for (std::size_t d = maps.size(); d-- > 0; step *= in[d]) copy.x_steps[d] = step;
  for (const Ints& map : maps) copy.rows *= static_cast<std::int64_t>(map.size());
  copy.outer = std::move(maps);
  return copy;
}

/// Dimensions in the order of memory: channels go last.
template <class List>
void to_memory_order(const KernelCall& call, List& list) {
  if (call.layout == Layout::ChannelsLast)
    std::rotate(list.begin() + 1, list.begin() + 2, list.end());
}

Kernel copy_kernel(const KernelCall& call, ops::IndexMaps maps, Shape in, double fill = 0) {
  if (numel(call.out[0].shape) == 0)
    return [](const KernelArgs& /*args*/, const RunContext& /*context*/) {};
  const DType computed = is_floating(call.in[0].dtype) ? DType::F64 : DType::I64;
  const Tensor value = Tensor::scalar(fill, DType::F64).to(computed).to(call.in[0].dtype);
  to_memory_order(call, maps);
  to_memory_order(call, in);
  const auto copy = std::make_shared<const MappedCopy>(
      copy_of(std::move(maps), std::move(in), {value.bytes(), value.size_in_bytes()}));
  return [copy](const KernelArgs& args, const RunContext& context) {
    copy->run(args, context.threads);
  };
}

Kernel make_pad(const KernelCall& call) {
  return copy_kernel(call, ops::padded_maps(call, call.shape(0)), call.shape(0),
                     call.real("value"));
}

Kernel make_strided(const KernelCall& call) {
  return copy_kernel(call, ops::strided_maps(call, call.shape(0)), call.shape(0));
}

Kernel make_tile(const KernelCall& call) {
  const Shape& out = call.out[0].shape;
  Shape in(out.size() - call.shape(0).size(), 1);
  in.insert(in.end(), call.shape(0).begin(), call.shape(0).end());
  return copy_kernel(call, ops::tiled_maps(in, out), in);
}

/// Images stay images where every dimension of y is copied from the same dimension of x.
Layouts image_layouts(const KernelCall& call) {
  return call.shape(0).size() >= 3 && call.out[0].shape.size() == call.shape(0).size()
             ? Layouts::Both
             : Layouts::Dense;
}

/// Indices are data: all inside, as the plan has checked.
template <class Index>
Kernel gather(const KernelCall& call, std::size_t axis) {
  Shape in = call.shape(0);
  std::size_t at = axis;
  if (call.layout == Layout::ChannelsLast) {
    to_memory_order(call, in);
    at = axis == 0 ? 0 : (axis == 1 ? in.size() - 1 : axis - 1);
  }
  const std::int64_t size = in[at];
  const std::int64_t outer = ops::product(in, 0, at);
  const std::int64_t count = numel(call.shape(1));
  const std::size_t block =
      static_cast<std::size_t>(ops::product(in, at + 1)) * size_of(call.in[0].dtype);
  const std::int64_t rows_per_task = std::max<std::int64_t>(
      1, 4 * kChunk / std::max<std::int64_t>(1, static_cast<std::int64_t>(block)));
  return [=](const KernelArgs& args, const RunContext& context) {
    const Index* const indices = args.input<Index>(1);
    parallel_for(context.threads, (outer * count + rows_per_task - 1) / rows_per_task,
                 [&](std::int64_t task) {
                   const std::int64_t last = std::min(outer * count, (task + 1) * rows_per_task);
                   for (std::int64_t k = task * rows_per_task; k < last; ++k) {
                     const auto index = static_cast<std::int64_t>(indices[k % count]);
                     const std::int64_t from =
                         k / count * size + (index < 0 ? index + size : index);
                     std::memcpy(args.out[0] + static_cast<std::size_t>(k) * block,
                                 args.in[0] + static_cast<std::size_t>(from) * block, block);
                   }
                 });
  };
}

Kernel make_gather(const KernelCall& call) {
  const std::size_t axis = ops::axis_of(call.integer("dim"), call.shape(0).size()).value();
  if (numel(call.out[0].shape) == 0)
    return [](const KernelArgs& /*args*/, const RunContext& /*context*/) {};
  if (call.in[1].dtype == DType::I64) return gather<std::int64_t>(call, axis);
  if (call.in[1].dtype == DType::I32) return gather<std::int32_t>(call, axis);
  return {};
}

Layouts gather_layouts(const KernelCall& call) {
  return call.shape(1).size() == 1 ? image_layouts(call) : Layouts::Dense;
}

}  // namespace

std::vector<KernelDef> mapped_copy() {
  return {{"pad", make_pad, image_layouts},
          {"strided_slice", make_strided, image_layouts},
          {"tile", make_tile, image_layouts},
          {"gather", make_gather, gather_layouts}};
}

}  // namespace chop::runtime::kernels

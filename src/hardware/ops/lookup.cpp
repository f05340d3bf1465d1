// y[o] = entry of table o, picked by the bits of the few elements that it reads, those of the first
// lowest: any function of a few codes, because all of them were enumerated.
#include "hardware/netlist/layer_builder.hpp"

namespace chop::hardware::integer_ops::lookup {
namespace {

constexpr int kMostBits = 20;

/// What an element of the result reads, and its table.
struct Neuron {
  std::span<const std::int64_t> index;
  std::span<const std::int64_t> entries;
};

int bits_of(const IntegerType& x, std::int64_t element) {
  return width_of(x.ranges[static_cast<std::size_t>(element)]);
}

/// Calls `visit(o, neuron)` for every element of the result. Attributes that end too early, or
/// more bits than a table may have, are an error.
template <class Visit>
Status for_each_neuron(const IntegerCall& call, Visit&& visit) {
  std::span<const std::int64_t> index = call.node.list("index");
  std::span<const std::int64_t> values = call.node.list("values");
  const Codes& fan_in = call.node.list("fan_in");
  for (std::size_t o = 0; o < fan_in.size(); ++o) {
    const auto count = static_cast<std::size_t>(fan_in[o]);
    if (fan_in[o] < 0 || count > index.size()) return Error{.what = "its index is too short"};
    int bits = 0;
    for (const std::int64_t element : index.first(count)) {
      if (element < 0 || element >= std::ssize(call.in[0]->ranges))
        return Error{.what = cat("it reads element ", element)};
      bits += bits_of(*call.in[0], element);
      if (bits > kMostBits) return Error{.what = cat("a table of more than ", kMostBits, " bits")};
    }
    const std::size_t entries = std::size_t{1} << static_cast<unsigned>(bits);
    if (entries > values.size()) return Error{.what = "its tables are too short"};
    visit(o, Neuron{index.first(count), values.first(entries)});
    index = index.subspan(count);
    values = values.subspan(entries);
  }
  if (!index.empty() || !values.empty()) return Error{.what = "its lists are too long"};
  return {};
}

Status check(const IntegerCall& call) {
  if (call.node.list("fan_in").size() != call.size())
    return Error{.what = "one fan-in per element"};
  return for_each_neuron(call, [](std::size_t /*o*/, const Neuron& /*neuron*/) {});
}

std::vector<Interval> ranges(const IntegerCall& call) {
  std::vector<Interval> result;
  (void)for_each_neuron(call, [&](std::size_t /*o*/, const Neuron& neuron) {
    const auto [least, most] = std::minmax_element(neuron.entries.begin(), neuron.entries.end());
    result.push_back({*least, *most});
  });
  return result;
}

void evaluate(const IntegerCall& call, std::span<const Codes* const> in, Codes& out) {
  (void)for_each_neuron(call, [&](std::size_t o, const Neuron& neuron) {
    std::size_t address = 0;
    int at = 0;
    for (const std::int64_t element : neuron.index) {
      const int width = bits_of(*call.in[0], element);
      const auto code = static_cast<std::uint64_t>((*in[0])[static_cast<std::size_t>(element)]);
      address |= (code & ((std::uint64_t{1} << width) - 1)) << at;
      at += width;
    }
    out[o] = neuron.entries[address];
  });
}

void build(LayerBuilder& layer) {
  ModuleBuilder& cells = layer.cells();
  (void)for_each_neuron(layer.call(), [&](std::size_t /*o*/, const Neuron& neuron) {
    WireId address = cells.constant(0);
    int at = 0;
    for (const std::int64_t element : neuron.index) {
      const int width = bits_of(*layer.call().in[0], element);
      const WireId own = cells.bits(layer.in()[static_cast<std::size_t>(element)], 0, width);
      address = at == 0 ? own : cells.concat(own, address, at);
      at += width;
    }
    layer.out(cells.table(address, {.entries = {neuron.entries.begin(), neuron.entries.end()}}));
  });
}

std::vector<Wired> reads(const IntegerCall& call, std::size_t element) {
  std::vector<Wired> read;
  (void)for_each_neuron(call, [&](std::size_t o, const Neuron& neuron) {
    if (o != element) return;
    for (const std::int64_t at : neuron.index) read.push_back({0, static_cast<std::size_t>(at)});
  });
  return read;
}

}  // namespace

IntegerOpDef define() {
  return {.name = "lookup",
          .doc =
              "y[o] = values[o][bits of x[index[o]]], the first element lowest; fan_in[o] says "
              "how many elements output o reads",
          .attrs = {"fan_in", "index", "values"},
          .check = check,
          .ranges = ranges,
          .evaluate = evaluate,
          .build = build,
          .reads = reads};
}

}  // namespace chop::hardware::integer_ops::lookup

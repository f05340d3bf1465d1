// Keys and groups of three families: blocks over several dimensions, blocks along one dimension,
// and one scale per row, channel or tensor.
#include "formats/groups.hpp"

namespace chop::formats {
namespace {

/// Groups by block_size and skip_first_dim.
Result<std::optional<Tiles>> block_tiles(const Config& config, const Shape& shape) {
  for (const std::int64_t size : config.ints("block_size"))
    if (size == 0)
      return Error{.what = cat("block_size = ", to_text(Attr(config.ints("block_size")))),
                   .hint = "a block holds at least one value; -1 stands for the whole dimension"};
  return std::optional(
      Tiles::blocks(shape, config.ints("block_size"), config.flag("skip_first_dim")));
}

Status check_axis(const Config& config, std::string_view key, const Shape& shape) {
  const auto rank = static_cast<int>(shape.size());
  const int axis = config.integer(key);
  if (rank == 0 || (axis >= -rank && axis < rank)) return {};
  return Error{.what = cat(key, " = ", axis, " does not fit the shape ", to_string(shape)),
               .hint = cat("use ", -rank, " to ", rank - 1)};
}

Result<std::optional<Tiles>> row_block_tiles(const Config& config, const Shape& shape) {
  CH_CHECK(check_axis(config, "block_dim", shape));
  return std::optional(
      Tiles::along(shape, config.integer("block_dim"), config.integer("block_size")));
}

/// Groups by granularity and axis.
Result<std::optional<Tiles>> granular_tiles(const Config& config, const Shape& shape) {
  const std::string& by = config.text("granularity");
  if (by == "tensor") return std::optional(Tiles::whole(shape));
  if (by == "row") return std::optional(Tiles::along(shape, -1, -1));
  CH_CHECK(check_axis(config, "axis", shape));
  return std::optional(Tiles::channels(shape, config.integer("axis")));
}

std::vector<Field> granularity_keys(std::string_view usual) {
  return {{.name = "granularity",
           .initial = usual,
           .doc = "what has a scale of its own: each row of the last dimension, each index of "
                  "`axis`, or the tensor",
           .choices = {"row", "channel", "tensor"}},
          {.name = "axis",
           .initial = 0,
           .doc = "the dimension of the channels; negative ones count from the end"}};
}

}  // namespace

Field exponent_bias_width_key() {
  return {.name = "exponent_bias_width",
          .doc = "bits of the bias that a block shares",
          .required = true,
          .kind = FieldKind::Integer,
          .bounds = {.least = 1, .most = 8}};
}

Field block_size_key() {
  return {.name = "block_size",
          .doc = "size of a block per dimension, right-aligned to the shape; -1: all of it",
          .required = true,
          .kind = FieldKind::Integers,
          .bounds = {.least = -1}};
}

Field skip_first_dim_key() {
  return {.name = "skip_first_dim",
          .initial = false,
          .doc = "blocks never span the dimensions before the last two (the rows of a matrix)"};
}

FormatDef block_format(FormatDef format) {
  format.tiles = block_tiles;
  format.measure = Measure::AbsMax;
  format.zero_takes_least = true;
  if (format.shared_bits.empty()) format.shared_bits = "exponent_bias_width";
  return format;
}

Field row_block_size_key() {
  return {.name = "block_size",
          .initial = 32,
          .doc = "values that share a scale",
          .bounds = {.least = 1, .most = 1e9}};
}

Field block_dim_key() {
  return {.name = "block_dim", .initial = -1, .doc = "the dimension along which blocks run"};
}

Field scale_bits_key(std::string_view name) {
  return {.name = name,
          .initial = 8,
          .doc = "bits of the shared exponent",
          .bounds = {.least = 2, .most = 8}};
}

FormatDef row_block_format(FormatDef format) {
  format.tiles = row_block_tiles;
  format.measure = Measure::AbsMax;
  return format;
}

FormatDef granular_format(std::string_view usual, FormatDef format) {
  for (Field& key : granularity_keys(usual)) format.keys.push_back(std::move(key));
  format.tiles = granular_tiles;
  format.bits = [](const Config& c) { return Bits{.value = c.integer("width"), .shared = 32}; };
  format.whole_shared = false;
  return format;
}

std::optional<OnnxForm> granular_onnx(const Config& config, std::string_view scale) {
  if (config.text("granularity") == "row") return {};
  return OnnxForm{.scales = config.has(scale) ? config.reals(scale) : std::vector<double>{},
                  .axis = config.integer("axis"),
                  .width = config.integer("width"),
                  .is_signed = config.flag("is_signed")};
}

Range code_range(float low, float high) {
  return {.lowest = low,
          .highest = high,
          .least_positive = high > 0 ? 1.0 : 0.0,
          .step = 1,
          .relative = true};
}

}  // namespace chop::formats

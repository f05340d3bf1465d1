#include "ops/core/quantise.hpp"

#include "formats/registry.hpp"
#include "ir/json.hpp"
#include "support/rng.hpp"

namespace chop::ops {

std::vector<Field> quantise_attrs() {
  return {
      {.name = "format", .initial = NumberFormat{}.name, .doc = "number format", .internal = true},
      {.name = "config",
       .initial = std::string("{}"),
       .doc = "its settings, as JSON",
       .internal = true}};
}

Attrs quantise_attrs(const NumberFormat& format) {
  return {{"format", format.name}, {"config", to_json(format.config)}};
}

const FormatDef& format_of(const Call& call) {
  return *find_format(call.text("format")).value();
}

Result<Quantiser> quantiser_of(const Call& call, const Shape& shape) {
  CH_TRY(Attrs config, attrs_from_json(call.text("config")));
  return Quantiser::make({call.text("format"), std::move(config)}, shape);
}

std::string quantise_name(const Node& node, std::string_view operand) {
  return cat(node.name, "_", operand, "_quantized");
}

std::uint64_t quantise_seed(const RunState& state, std::string_view node_name) {
  return mix64(state.seed ^ hash_text(node_name));
}

std::string learned_parameter(const Node& node, std::string_view operand,
                              std::string_view learned) {
  const std::string& owner = node.opcode == Opcode::CallModule ? node.target : node.name;
  return cat(owner, ".", operand, ".", learned);
}

std::vector<float> narrowed(std::span<const double> values) {
  std::vector<float> floats(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) floats[i] = static_cast<float>(values[i]);
  return floats;
}

}  // namespace chop::ops

// What the ops that quantise share: the format and its configuration as attributes.
#pragma once

#include "formats/quantiser.hpp"
#include "ops/core/checks.hpp"
#include "ops/core/common.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops {

/// `format`, its name, and `config`, its settings as JSON.
std::vector<Field> quantise_attrs();
/// The same as the attributes of a call.
Attrs quantise_attrs(const NumberFormat& format);

const FormatDef& format_of(const Call& call);
Result<Quantiser> quantiser_of(const Call& call, const Shape& shape);
/// The name of the call that quantises an operand of a node: "fc_weight_quantized".
std::string quantise_name(const Node& node, std::string_view operand);
/// Every call draws its own numbers.
std::uint64_t quantise_seed(const RunState& state, std::string_view node_name);
/// The parameter in which a format keeps what it learns about an operand of a node:
/// "seq_blocks.2.weight.step".
std::string learned_parameter(const Node& node, std::string_view operand, std::string_view learned);
std::vector<float> narrowed(std::span<const double> values);

}  // namespace chop::ops

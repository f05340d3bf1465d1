// All operators, from the files of ops/defs.
#pragma once

#include "ops/core/op_def.hpp"

namespace chop::ops {

std::span<const OpDef> all_ops();
/// The op of that name; the error names the nearest one.
Result<const OpDef*> find_op(std::string_view name);
/// The op of a call node; asserts that it is registered, as verified graphs' are.
const OpDef& op_of(const Node& node);

/// Whether a call was lowered for training.
bool is_training(const Node& node);

/// Whether the parameter exists in a call with these attributes.
bool is_present(const ParamDef& param, const Call& call);
/// The mask of the call's weights; null: it has none.
const ParamDef* mask_of(const Call& call);
/// data_in_0, data_in_1, ..., weight, bias: the operands of a call in order.
std::vector<std::string> operand_names(const OpDef& op, const Attrs& attrs,
                                       std::size_t data_inputs);

/// Who set a call's attributes: people may not set internal ones.
enum class AttrsFrom : std::uint8_t { People, Program };

/// Known names, right kinds, required ones present. Integers given for reals and single
/// integers given for lists are converted in place.
Status check_attrs(const OpDef& op, Attrs& attrs, AttrsFrom from = AttrsFrom::Program);
/// Whether texts are among the choices of their attributes and numbers within the bounds.
Status check_allowed(const OpDef& op, const Attrs& attrs);

/// "Linear(in_features=16, out_features=5, bias=True)", as PyTorch prints the module.
std::string module_repr(const OpDef& op, const Attrs& attrs);

}  // namespace chop::ops

// Adds calls that own parameters: a Conv with its weights becomes conv2d as a module of ours.
#include "onnx/importer.hpp"
#include "ops/core/registry.hpp"
#include "support/text.hpp"

namespace chop::onnx {

/// A target that no other module has, and that is not the prefix of an existing parameter.
std::string Importer::module_target(const std::string& wanted, const OpDef& op) {
  const auto is_taken = [&](const std::string& target) {
    if (targets_.contains(target)) return true;
    return std::any_of(op.params.begin(), op.params.end(), [&](const ParamDef& param) {
      return graph_.find_parameter(cat(target, ".", param.name)) != nullptr;
    });
  };
  std::string target = wanted;
  while (is_taken(target)) target = cat(wanted, "_", ++last_used_[wanted]);
  targets_.insert(target);
  return target;
}

ImportValue Importer::module(std::string_view op, std::string target, std::vector<ImportValue> in,
                             Attrs attrs, std::map<std::string, Tensor> parameters,
                             std::map<std::string, NumberFormat> formats) {
  if (failed()) return kNone;
  Result<const OpDef*> found = find_op(op);
  if (!found) {
    fail(std::move(found).error());
    return kNone;
  }
  const OpDef& def = *found.value();
  if (Status status = check_attrs(def, attrs); !status) {
    fail(std::move(status).error());
    return kNone;
  }
  if (target.empty()) target = op;
  const std::string unique = module_target(target, def);
  for (const ParamDef& param : def.params)
    if (const auto given = parameters.find(std::string(param.name)); given != parameters.end())
      graph_.add_parameter({cat(unique, ".", param.name), given->second, param.trainable});
  node_name_.clear();
  return emit({.opcode = Opcode::CallModule,
               .op = std::string(op),
               .target = unique,
               .attrs = std::move(attrs),
               .formats = std::move(formats)},
              in, 1)[0];
}

}  // namespace chop::onnx

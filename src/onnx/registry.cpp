// All operators of ONNX that are known: those of onnx/defs, and those that ops name.
#include "ops/core/registry.hpp"
#include "onnx/export/export_call.hpp"
#include "onnx/onnx_def.hpp"
#include "support/text.hpp"

#include "onnx_defs.inc"

namespace chop::onnx {
namespace {

struct Plain {
  const OpDef* op;
  const OnnxName* name;
};

struct Tables {
  std::map<std::string, OnnxImportDef, std::less<>> imports;
  std::map<std::string, OnnxExportDef, std::less<>> exports;
  std::map<std::string, Plain, std::less<>> plain;  ///< by operator
};

/// Quantisers come under several names of the same domain.
std::string key_of(std::string_view domain, std::string_view op_type) {
  if (is_main_domain(domain)) return std::string(op_type);
  for (const std::string_view alias : {"onnx.brevitas", "finn.custom_op.general"})
    if (domain == alias) domain = "qonnx.custom_op.general";
  return cat(domain, ".", op_type);
}

const Tables& tables() {
  static const Tables all = [] {
    Tables made;
    for (const OnnxFamily& family : defs::collected()) {
      for (const OnnxImportDef& def : family.imports)
        made.imports.emplace(key_of(def.domain, def.op_type), def);
      for (const OnnxExportDef& def : family.exports)
        made.exports.emplace(std::string(def.op), def);
    }
    for (const OpDef& op : all_ops())
      for (const OnnxName& name : op.onnx)
        made.plain.emplace(std::string(name.op_type), Plain{&op, &name});
    return made;
  }();
  return all;
}

/// The attribute of the node as one of ours, of the kind the op wants.
std::optional<Attr> attr_like(const Attr& pattern, const proto::AttributeProto& attribute) {
  switch (attribute.type()) {
    case proto::AttributeProto::INT:
      if (std::holds_alternative<bool>(pattern)) return Attr(attribute.i() != 0);
      if (std::holds_alternative<double>(pattern)) return Attr(static_cast<double>(attribute.i()));
      return Attr(std::int64_t{attribute.i()});
    case proto::AttributeProto::FLOAT:
      return Attr(static_cast<double>(attribute.f()));
    case proto::AttributeProto::STRING:
      return Attr(attribute.s());
    case proto::AttributeProto::INTS:
      return Attr(Ints(attribute.ints().begin(), attribute.ints().end()));
    default:
      return std::nullopt;
  }
}

/// Inputs and results one to one, attributes by the names the op gives for them.
void import_plainly(const OnnxCall& call) {
  const auto& [op, name] = tables().plain.find(call.op_type())->second;
  Attrs attrs;
  for (const proto::AttributeProto& attribute : call.node().attribute()) {
    const auto known = std::find_if(name->attrs.begin(), name->attrs.end(),
                                    [&](const OnnxAttr& a) { return a.onnx == attribute.name(); });
    if (known == name->attrs.end()) continue;  // refused where no import reads it
    const auto value =
        attr_like(op->defaults.at(std::string(known->ours)), *call.find(known->onnx));
    if (!value)
      return call.fail(cat(call.op_type(), ": attribute '", attribute.name(), "' is of no kind ",
                           op->name, " takes"));
    attrs[std::string(known->ours)] = *value;
  }
  if (call.outputs() > 1)
    return call.fail(cat(call.op_type(), " has ", call.outputs(), " results"));
  call.out(call.make().call(op->name, call.all_inputs(), std::move(attrs)));
}

void export_plainly(ExportCall& call) {
  const OpDef& op = op_of(call.node());
  const OnnxName& name = op.onnx.front();
  // What ONNX has no name for must be as usual.
  for (const Field& def : op.attrs) {
    const bool named = std::any_of(name.attrs.begin(), name.attrs.end(),
                                   [&](const OnnxAttr& attr) { return attr.ours == def.name; });
    if (!named && !def.ignored &&
        !same_bits(call.attr(def.name), op.defaults.at(std::string(def.name))))
      return call.fail(cat(op.name, " with ", def.name, " = ", to_text(call.attr(def.name))));
  }
  proto::NodeProto& node = call.add(std::string(name.op_type), call.inputs());
  for (const OnnxAttr& attr : name.attrs) call.set(node, attr.onnx, call.attr(attr.ours));
}

}  // namespace

const OnnxImportDef* find_onnx_import(std::string_view domain, std::string_view op_type) {
  static const OnnxImportDef kPlain{"", import_plainly};
  const std::string key = key_of(domain, op_type);
  if (const auto own = tables().imports.find(key); own != tables().imports.end())
    return &own->second;
  return is_main_domain(domain) && tables().plain.contains(key) ? &kPlain : nullptr;
}

std::string_view op_for(std::string_view op_type) {
  const auto found = tables().plain.find(op_type);
  return found == tables().plain.end() ? std::string_view() : found->second.op->name;
}

void (*find_onnx_export(std::string_view op))(ExportCall&) {
  if (const auto own = tables().exports.find(op); own != tables().exports.end())
    return own->second.write;
  const Result<const OpDef*> def = find_op(op);
  return def && !def.value()->onnx.empty() ? export_plainly : nullptr;
}

std::vector<std::string> importable_operators() {
  std::vector<std::string> names;
  for (const auto& [name, def] : tables().imports) names.push_back(name);
  for (const auto& [name, plain] : tables().plain)
    if (!tables().imports.contains(name)) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace chop::onnx

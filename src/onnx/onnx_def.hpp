// What is known about an ONNX operator that needs more than a name for each attribute.
//
// A file of onnx/defs describes a family of operators, both ways where there are two.
// Operators that correspond to one of our ops one to one need no file: the op's own `onnx`
// field says it all.
#pragma once

#include "onnx/onnx_call.hpp"

namespace chop::onnx {

class ExportCall;

struct OnnxImportDef {
  std::string_view op_type;
  void (*import)(const OnnxCall& call);
  std::string_view domain = "";  ///< "": ONNX's own
  /// Attributes that change nothing here. Every other one that `import` does not read is refused.
  std::vector<std::string_view> without_effect = {};
};

struct OnnxExportDef {
  std::string_view op;  ///< of ours
  void (*write)(ExportCall& call);
};

struct OnnxFamily {
  std::vector<OnnxImportDef> imports;
  std::vector<OnnxExportDef> exports = {};
};

/// The importer of an operator: of its own file, or the general one for ops that name it.
/// Null: the operator is unknown.
const OnnxImportDef* find_onnx_import(std::string_view domain, std::string_view op_type);
/// The op of ours that names this operator; "" when none does.
std::string_view op_for(std::string_view op_type);
/// The exporter of an op, likewise.
void (*find_onnx_export(std::string_view op))(ExportCall&);
/// All operators that can be imported, with their domains ("qonnx.custom_op.general.Quant").
std::vector<std::string> importable_operators();

}  // namespace chop::onnx

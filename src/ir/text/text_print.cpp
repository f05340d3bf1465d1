// Writes the text form; text_read.cpp reads it.
#include <bit>

#include "ir/json.hpp"
#include "ir/text/text.hpp"
#include "ir/text/text_lexer.hpp"
#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop::ir {
namespace {

constexpr std::size_t kWidth = 100;

std::string word(std::string_view text) {
  return is_plain_word(text) ? std::string(text) : in_quotes(text);
}

std::string node_name(std::string_view name) {
  return "%" + (is_plain_node_name(name) ? std::string(name) : in_quotes(name));
}

std::string value_text(const Graph& graph, const Value& value) {
  std::string text = node_name(graph.node(value.node).name);
  if (value.index > 0) text += cat(".", value.index);
  return text;
}

std::string half_text(float value, std::uint16_t bits, std::uint16_t usual_nan) {
  if (value == value || bits == usual_nan) return exact(value);
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = "nan(0x";
  for (int shift = 12; shift >= 0; shift -= 4) text += kHex[(bits >> shift) & 15];
  return text + ")";
}

std::string element_text(const Tensor& tensor, std::size_t i) {
  switch (tensor.dtype()) {
    case DType::F32:
      return exact_bits(tensor.data<float>()[i]);
    case DType::F64:
      return exact_bits(tensor.data<double>()[i]);
    case DType::F16: {
      const std::uint16_t bits = tensor.data<std::uint16_t>()[i];
      return half_text(half_to_float(bits), bits, 0x7E00);
    }
    case DType::BF16: {
      const std::uint16_t bits = tensor.data<std::uint16_t>()[i];
      return half_text(bfloat_to_float(bits), bits, 0x7FC0);
    }
    case DType::I64:
      return std::to_string(tensor.data<std::int64_t>()[i]);
    case DType::I32:
      return std::to_string(tensor.data<std::int32_t>()[i]);
    case DType::I16:
      return std::to_string(tensor.data<std::int16_t>()[i]);
    case DType::I8:
      return std::to_string(tensor.data<std::int8_t>()[i]);
    case DType::U64:
      return std::to_string(tensor.data<std::uint64_t>()[i]);
    case DType::U32:
      return std::to_string(tensor.data<std::uint32_t>()[i]);
    case DType::U16:
      return std::to_string(tensor.data<std::uint16_t>()[i]);
    case DType::U8:
      return std::to_string(tensor.data<std::uint8_t>()[i]);
    case DType::Bool:
      return tensor.data<bool>()[i] ? "true" : "false";
  }
  return {};
}

/// [1.0, 2.0, ...], broken into lines of at most kWidth.
std::string values_text(const Tensor& tensor, std::size_t column) {
  static constexpr std::string_view kIndent = "\n      ";
  std::string text = "[";
  ++column;
  for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.size()); ++i) {
    const std::string element = element_text(tensor, i);
    if (i > 0) {
      text += ',';
      ++column;
      if (column + element.size() + 2 > kWidth) {
        text += kIndent;
        column = kIndent.size() - 1;
      } else {
        text += ' ';
        ++column;
      }
    }
    text += element;
    column += element.size();
  }
  return text + "]";
}

std::string parameter_text(const Parameter& parameter, bool values) {
  std::string line =
      cat("  ", parameter.trainable ? "parameter " : "buffer ", word(parameter.name), ": ",
          name_of(parameter.value.dtype()), to_string(parameter.value.shape()));
  if (!values) return line + "\n";
  line += " = ";
  return line + values_text(parameter.value, line.size()) + "\n";
}

std::string attrs_text(const Attrs& attrs) {
  std::vector<std::string> parts;
  parts.reserve(attrs.size());
  for (const auto& [name, attr] : attrs) parts.push_back(cat(word(name), "=", to_text(attr)));
  return "{" + join(parts, ", ") + "}";
}

std::string format_text(const std::string& operand, const NumberFormat& format) {
  return cat(word(operand), ": ", word(format.name),
             format.config.empty() ? "" : attrs_text(format.config));
}

bool is_usual_output(const Node& node) {
  return node.opcode == Opcode::Output && node.name == "output" && node.target == "output";
}

/// opcode[target=T] op; without an op where the opcode says it already.
std::string head_text(const Node& node) {
  std::string text = cat(node_name(node.name), " = ", name_of(node.opcode));
  if (!node.target.empty()) text += cat("[target=", word(node.target), "]");
  if (is_call(node.opcode)) text += " " + word(node.op);
  return text;
}

std::string node_text(const Graph& graph, const Node& node, bool meta) {
  std::string line = "  " + (is_usual_output(node) ? "output" : head_text(node));
  if (is_call(node.opcode) || node.opcode == Opcode::Output || !node.inputs.empty()) {
    std::vector<std::string> inputs;
    for (const Value& input : node.inputs) inputs.push_back(value_text(graph, input));
    line += "(" + join(inputs, ", ") + ")";
  }
  if (!node.attrs.empty()) line += " " + attrs_text(node.attrs);
  if (!node.formats.empty()) {
    std::vector<std::string> formats;
    for (const auto& [operand, format] : node.formats)
      formats.push_back(format_text(operand, format));
    line += " formats {" + join(formats, ", ") + "}";
  }
  if (meta && !node.meta.empty()) line += " meta " + to_json(node.meta);
  return line;
}

}  // namespace

std::string print(const Graph& graph, const PrintOptions& options) {
  std::string text = "graph " + word(graph.name()) + " {\n";
  for (const Parameter& parameter : graph.parameters())
    text += parameter_text(parameter, options.values);
  if (!graph.parameters().empty() && graph.size() > 0) text += "\n";
  for (const NodeId id : graph.order()) {
    const std::string line = node_text(graph, graph.node(id), options.meta);
    const std::string note = options.note ? options.note(id) : "";
    if (note.empty())
      text += line + "\n";
    else if (line.size() + note.size() + 4 <= kWidth)
      text += cat(line, "  # ", note, "\n");
    else
      text += cat("  # ", note, "\n", line, "\n");
  }
  return text + "}\n";
}

}  // namespace chop::ir

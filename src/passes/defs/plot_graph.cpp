// plot_graph: a picture of the network with layers, shapes, parameter counts and formats.
#include "analysis/operands.hpp"
#include "compat/mase_names.hpp"
#include "formats/registry.hpp"
#include "ops/core/fx_text.hpp"
#include "passes/pass_def.hpp"
#include "report/dot.hpp"
#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::passes::plot_graph {
namespace {

/// Beyond this graphviz takes minutes and the picture is unreadable.
constexpr std::size_t kMostNodes = 3000;
constexpr std::size_t kLongestText = 60;

const DotColour& colour_of(std::string_view mase_type) {
  static const std::map<std::string_view, DotColour> kColours = {
      {"placeholder", {"#dbeafe", "#2563eb"}},
      {"get_attr", {"#e2e8f0", "#64748b"}},
      {"module_related_func", {"#dcfce7", "#16a34a"}},
      {"module", {"#fef9c3", "#ca8a04"}},
      {"builtin_func", {"#ffedd5", "#ea580c"}},
      {"implicit_func", {"#f8fafc", "#94a3b8"}},
      {"gradient", {"#ffe4e6", "#e11d48"}},
      {"output", {"#ede9fe", "#7c3aed"}}};
  static const DotColour kOther = {"#ffffff", "#000000"};
  const auto found = kColours.find(mase_type);
  return found == kColours.end() ? kOther : found->second;
}

std::string shortened(std::string text) {
  if (text.size() <= kLongestText) return text;
  std::size_t end = kLongestText - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

DotNode box(const Graph& graph, NodeId id, const Types& types) {
  const Node& node = graph.node(id);
  DotNode box{.title = shortened(node.name), .colour = colour_of(mase_type(node))};
  switch (node.opcode) {
    case Opcode::CallModule:
      box.lines.push_back(shortened(layer_class(node)));
      break;
    case Opcode::CallFunction:
    case Opcode::CallMethod:
      box.lines.push_back(shortened(mase_op(node)));
      break;
    default:
      if (node.name != name_of(node.opcode)) box.lines.emplace_back(name_of(node.opcode));
  }
  std::int64_t parameters = 0;
  std::vector<std::string> formats;
  for (const Operand& operand : operands_of(graph, id, types)) {
    if (operand.is_parameter() && !operand.is_buffer()) parameters += numel(operand.type.shape);
    if (!operand.format.is_plain())
      formats.push_back(cat(operand.name, ": ", display(operand.format)));
  }
  if (parameters > 0) box.notes.push_back(counted(parameters, "parameter"));
  for (std::string& format : formats) box.notes.push_back(shortened(std::move(format)));
  return box;
}

DotPicture picture_of(const Graph& graph, const Types& types, const PassContext& context,
                      bool to_the_right) {
  DotPicture picture{.title = shortened(graph.name()), .to_the_right = to_the_right};
  picture.subtitle = cat(counted(graph.parameter_count(), "trainable parameter"), ", ",
                         counted(static_cast<std::int64_t>(graph.size()), "node"),
                         ", shapes at batch ", context.batch_size);
  std::map<NodeId, std::size_t> indices;
  std::vector<std::string> seen;
  for (const NodeId id : graph.order()) {
    indices[id] = picture.nodes.size();
    picture.nodes.push_back(box(graph, id, types));
    for (const Value& input : graph.node(id).inputs)
      picture.edges.push_back({.from = indices.at(input.node),
                               .to = indices.at(id),
                               .label = to_string(type_of(types, input).shape)});
    const std::string type = mase_type(graph.node(id));
    if (std::find(seen.begin(), seen.end(), type) != seen.end()) continue;
    seen.push_back(type);
    picture.legend.push_back({type, colour_of(type)});
  }
  return picture;
}

Result<std::string> format_of(const Args& args) {
  const std::string& name = args.text("file_name");
  std::string extension = std::filesystem::path(name).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  static constexpr std::array<std::string_view, 3> kKnown = {".svg", ".png", ".dot"};
  if (std::find(kKnown.begin(), kKnown.end(), extension) == kKnown.end())
    return args.wrong("file_name",
                      extension.empty() ? cat("'", name, "' has no extension")
                                        : cat("pictures are not written as '", extension, "'"),
                      "end the name in .svg, .png or .dot");
  return extension.substr(1);
}

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  CH_TRY(const std::string format, format_of(args));
  if (graph.size() > kMostNodes && format != "dot")
    return Error{.what = cat("graph '", graph.name(), "' has ",
                             with_commas(static_cast<std::int64_t>(graph.size())),
                             " nodes, too many for a picture"),
                 .hint = cat("pictures hold ", kMostNodes,
                             "; report_graph lists all, and a .dot file can be drawn elsewhere")};
  CH_TRY(const Types types, infer_types(graph, context.batch_size));
  std::string drawn = to_dot(picture_of(graph, types, context, args.text("direction") == "right"));
  if (format != "dot") {
    CH_TRY(drawn, render_dot(drawn, format));
  }
  const std::filesystem::path path = output_path(context, args.text("file_name"));
  CH_CHECK(write_file(path, drawn));
  PassOutput output;
  output.files.push_back(path);
  output.info.set("file", path.string());
  output.info.set("format", format);
  output.info.set("nodes", graph.size());
  return output;
}

}  // namespace

PassDef define() {
  return {.name = "plot_graph",
          .doc = "draw the network: layers, shapes, parameter counts and number formats",
          .details =
              "The extension of file_name decides what is written: .svg, .png, or .dot for\n"
              "graphviz and other tools. Colours tell Mase types apart.",
          .args = {{.name = "file_name", .initial = "graph.svg", .doc = "where the picture goes"},
                   {.name = "direction",
                    .initial = "down",
                    .doc = "where the arrows point",
                    .choices = {"down", "right"}}},
          .run = run,
          .samples = {{.args = Tree::Table{{"file_name", "graph.dot"}}}}};
}

}  // namespace chop::passes::plot_graph

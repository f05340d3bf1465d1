#include "cli/views/inspect_view.hpp"

#include "support/text.hpp"

namespace chop::cli {
namespace {

constexpr int kBarWidth = 3;

/// The shape of one sample where the first dimension is the batch, of everything otherwise.
std::string sample_text(const Shape& shape, const Shape& at_more) {
  std::vector<std::string> dims;
  const bool batched = !shape.empty() && shape[0] != at_more[0];
  for (std::size_t i = batched ? 1 : 0; i < shape.size(); ++i) dims.push_back(cat(shape[i]));
  return dims.empty() ? "scalar" : join(dims, "x");
}

/// "layer1.0" of layer1.0.conv1; nothing for a module that is in no block.
std::string block_of(const Node& node) {
  if (node.opcode != Opcode::CallModule) return {};
  const std::vector<std::string> parts = split(node.target, '.');
  return parts.size() < 3 ? std::string() : cat(parts[0], ".", parts[1]);
}

/// A function between modules of a block, or at its end, belongs to the block.
void find_blocks(const Graph& graph, const std::vector<NodeCost>& nodes,
                 std::vector<InspectRow>& rows) {
  std::string current;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Node& node = graph.node(nodes[i].id);
    if (node.opcode == Opcode::CallModule) current = block_of(node);
    rows[i].block = current;
  }
}

std::string format_text(const NodeCost& node) {
  if (node.parameters == 0 || node.data_bits == node.other_bits) return node.precision;
  return cat(node.precision, "/", node.other_bits);
}

void add_times(const Inspection& inspection, std::vector<InspectRow>& rows) {
  std::map<NodeId, std::size_t> row_of;
  for (std::size_t i = 0; i < inspection.cost.nodes.size(); ++i)
    row_of[inspection.cost.nodes[i].id] = i;
  for (const LayerTime& layer : inspection.times.layers) {
    for (std::size_t i = 1; i < layer.nodes.size(); ++i)
      if (const auto found = row_of.find(layer.nodes[i]); found != row_of.end())
        rows[found->second].with_above = true;
    const std::optional<NodeId> owner = layer.nodes.empty() ? layer.for_node : layer.nodes.front();
    const auto found = owner ? row_of.find(*owner) : row_of.end();
    if (found == row_of.end()) continue;
    rows[found->second].seconds += layer.seconds;
    rows[found->second].time_share += layer.share;
  }
}

/// Adds `row` to `into`. The output of a block is that of its last row.
void merge(InspectRow& into, const InspectRow& row) {
  into.output = row.output;
  into.parameters += row.parameters;
  into.macs += row.macs;
  into.seconds += row.seconds;
  into.time_share += row.time_share;
  into.bits += row.bits;
  into.bit_share += row.bit_share;
  if (row.parameters > 0 && into.format != row.format)
    into.format = into.parameters == row.parameters ? row.format : "mixed";
}

Cell share_cell(double share, bool with_above) {
  if (std::isnan(share)) return {Cell::Value(share), "-"};
  if (with_above) return {Cell::Value(share), "+ above"};
  const std::string percent = cat(std::lround(share * 100), "%");
  return {Cell::Value(share),
          cat(share_bar(share, kBarWidth),
              std::string(4 - std::min<std::size_t>(percent.size(), 4), ' '), percent)};
}

}  // namespace

std::int64_t Inspection::bits() const {
  std::int64_t sum = 0;
  for (const InspectRow& row : rows) sum += row.bits;
  return sum;
}

Result<Inspection> inspect_graph(const Graph& graph, const TimingOptions& options) {
  Inspection inspection;
  CH_TRY(inspection.cost, count_costs(graph, {.batch = options.batch}));
  CH_TRY(inspection.times, time_layers(graph, options));
  CH_TRY(const Types types, infer_types(graph, options.batch));
  CH_TRY(const Types more, infer_types(graph, options.batch + 1));
  for (const NodeCost& node : inspection.cost.nodes) {
    InspectRow row{.name = node.name, .op = node.op};
    row.output = sample_text(types[index(node.id)][0].shape, more[index(node.id)][0].shape);
    row.parameters = node.parameters;
    row.macs = node.arithmetic.macs;
    row.format = format_text(node);
    row.bits = 8 * (node.parameter_bytes + (node.is_view ? 0 : node.output_bytes));
    inspection.rows.push_back(std::move(row));
  }
  find_blocks(graph, inspection.cost.nodes, inspection.rows);
  add_times(inspection, inspection.rows);
  const auto bits = static_cast<double>(inspection.bits());
  for (InspectRow& row : inspection.rows)
    row.bit_share = bits > 0 ? static_cast<double>(row.bits) / bits : 0;
  return inspection;
}

std::vector<InspectRow> one_screen(const std::vector<InspectRow>& rows, std::size_t most) {
  if (rows.size() <= most) return rows;
  std::vector<InspectRow> shown;
  std::size_t members = 0;
  for (const InspectRow& row : rows) {
    const bool joins = !row.block.empty() && !shown.empty() && shown.back().block == row.block;
    members = joins ? members + 1 : 1;
    if (!joins) {
      shown.push_back(row);
      continue;
    }
    InspectRow& block = shown.back();
    merge(block, row);
    block.name = block.block;
    block.op = cat("block of ", members);
    block.with_above = false;
  }
  if (shown.size() <= most) return shown;
  InspectRow rest = shown[most - 1];
  for (std::size_t i = most; i < shown.size(); ++i) merge(rest, shown[i]);
  rest.name = cat("... ", shown.size() - most + 1, " more");
  rest.op = "--all lists them";
  rest.with_above = false;
  shown.resize(most - 1);
  shown.push_back(std::move(rest));
  return shown;
}

Table table_of(const std::vector<InspectRow>& rows) {
  Table table{.columns = {{"Layer", Align::Left},
                          {"Op", Align::Left},
                          {"Output", Align::Left},
                          {"Params", Align::Right},
                          {"MACs", Align::Right},
                          {"Format", Align::Left},
                          {"Time", Align::Left},
                          {"Bits", Align::Left}}};
  for (const InspectRow& row : rows)
    table.rows.push_back(
        {row.name, row.op, row.output, Cell(row.parameters, compact(row.parameters)),
         Cell(row.macs, compact(row.macs)), row.format, share_cell(row.time_share, row.with_above),
         share_cell(row.bit_share, false)});
  return table;
}

Tree tree_of(const Inspection& inspection) {
  const GraphCost& cost = inspection.cost;
  Tree result = Tree::Table{
      {"batch_size", cost.batch},
      {"parameters", cost.parameters},
      {"macs", cost.arithmetic.macs},
      {"operations", Tree::Table{{"lab", cost.arithmetic.lab}, {"exact", cost.arithmetic.exact}}},
      {"bitops", Tree::Table{{"lab", cost.lab_bitops}, {"exact", cost.exact_bitops}}},
      {"bits", inspection.bits()},
      {"run_microseconds", inspection.times.run_seconds * 1e6},
      {"repeats", inspection.times.repeats}};
  Tree layers = Tree::list();
  for (const InspectRow& row : inspection.rows)
    layers.push(Tree::Table{{"layer", row.name},
                            {"op", row.op},
                            {"output", row.output},
                            {"parameters", row.parameters},
                            {"macs", row.macs},
                            {"format", row.format},
                            {"microseconds", row.seconds * 1e6},
                            {"time_share", row.time_share},
                            {"with_above", row.with_above},
                            {"bits", row.bits},
                            {"bit_share", row.bit_share}});
  result["layers"] = std::move(layers);
  return result;
}

std::string share_bar(double share, int width) {
  static constexpr std::array<std::string_view, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = std::clamp(static_cast<int>(std::lround(share * width * 8)), 0, width * 8);
  std::string bar;
  for (int i = 0; i < eighths / 8; ++i) bar += "█";
  const std::string_view part = kParts.at(static_cast<std::size_t>(eighths % 8));
  bar += part;
  return bar +
         std::string(static_cast<std::size_t>(width - eighths / 8 - (part.empty() ? 0 : 1)), ' ');
}

std::string compact(std::int64_t value) {
  if (value < 10000) return cat(value);
  static constexpr std::array<std::string_view, 4> kUnits = {" k", " M", " G", " T"};
  auto scaled = static_cast<double>(value);
  std::size_t unit = 0;
  for (scaled /= 1000; scaled >= 999.5 && unit + 1 < kUnits.size(); scaled /= 1000) ++unit;
  const int decimals = scaled < 9.995 ? 2 : (scaled < 99.95 ? 1 : 0);
  return cat(Cell(scaled, decimals).text, kUnits.at(unit));
}

std::string_view inspect_explanation() {
  return "Layer   a node of the graph under its torch.fx name; a large network shows its blocks\n"
         "Op      what it computes; `ch ops NAME` explains it\n"
         "Output  shape of what it makes for one sample\n"
         "Params  numbers it learns\n"
         "MACs    multiply-accumulates for the whole batch; additions alone, comparisons and the\n"
         "        like are none (`--report flops` counts those as well)\n"
         "Format  how its input is stored: name(bits); after a slash the bits of its weights\n"
         "Time    share of one measured run; layers the runtime runs as one are \"+ above\"\n"
         "Bits    share of all bits in memory: its parameters and what it makes\n";
}

}  // namespace chop::cli

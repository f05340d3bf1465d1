#include "hardware/lowering/neuron_tables.hpp"

#include <set>

#include "hardware/cost/estimate.hpp"
#include "hardware/integer/op_def.hpp"
#include "support/text.hpp"

namespace chop::hardware {
namespace {

/// A row of a matrix as a function of the bits that it reads.
struct Neuron {
  std::size_t row = 0;
  std::map<std::size_t, std::int64_t> weight = {};  ///< by element of the input
  std::int64_t constant = 0;
  int bits = 0;
  Codes entries = {};
};

/// The code of a pattern of bits; the nearest that the range holds.
std::int64_t code_in(const Interval& range, std::uint64_t pattern) {
  const int width = width_of(range);
  auto code = static_cast<std::int64_t>(pattern & ((std::uint64_t{1} << width) - 1));
  if (range.is_signed() && (code >> (width - 1) & 1) != 0) code -= std::int64_t{1} << width;
  return std::clamp(code, range.low, range.high);
}

/// A matrix that is applied once, and the ops behind it that treat every element by itself and are
/// read by nothing but the next of them.
class Chain {
 public:
  Chain(const IntegerGraph& graph, std::vector<std::size_t> nodes, const NetlistOptions& options)
      : graph_(graph), nodes_(std::move(nodes)), options_(options) {
    options_.registers = false;
    options_.logic_depth = 0;
    options_.stages = 0;
  }

  std::span<const std::size_t> nodes() const { return nodes_; }
  std::size_t rows() const { return first().type.size(); }

  /// The rows that take fewer LUTs as tables.
  Result<std::vector<Neuron>> choose() const {
    std::vector<Neuron> neurons = candidates();
    enumerate(neurons);
    std::vector<Neuron> chosen;
    bool saves = false;
    for (Neuron& neuron : neurons) {
      CH_TRY(const double adders, luts({neuron.row}, {}));
      CH_TRY(const double table, luts({}, {&neuron, 1}));
      saves = saves || table < adders;
      if (table <= adders) chosen.push_back(std::move(neuron));
    }
    if (!saves) return std::vector<Neuron>{};
    // By themselves, rows do not show the sums that they share.
    std::set<std::size_t> all;
    for (std::size_t row = 0; row < rows(); ++row) all.insert(row);
    CH_TRY(const double adders, luts(all, {}));
    for (const Neuron& neuron : chosen) all.erase(neuron.row);
    CH_TRY(const double mixed, luts(all, chosen));
    if (mixed >= adders) chosen.clear();
    return chosen;
  }

  /// Appends the nodes that compute it from node `input`, and returns the last: `tables`, and the
  /// rows `kept` as adders; other rows are of no interest.
  std::size_t append(IntegerGraph& to, std::size_t input, const std::set<std::size_t>& kept,
                     std::span<const Neuron> tables) const {
    if (kept.empty() && tables.size() == rows()) return append_tables(to, input, tables, "");
    std::size_t last = append_adders(to, input, kept);
    if (tables.empty()) return last;
    const std::size_t table = append_tables(to, input, tables, "_tables");
    IntegerNode joined{.name = cat(first().name, "_joined"),
                       .op = "select",
                       .inputs = {last, table},
                       .type = graph_.nodes[nodes_.back()].type};
    Codes& index = joined.attrs["index"];
    for (std::size_t row = 0; row < rows(); ++row) index.push_back(static_cast<std::int64_t>(row));
    for (std::size_t t = 0; t < tables.size(); ++t)
      index[tables[t].row] = static_cast<std::int64_t>(rows() + t);
    return push(to, std::move(joined));
  }

 private:
  const IntegerNode& first() const { return graph_.nodes[nodes_[0]]; }
  const IntegerType& input() const { return graph_.nodes[first().inputs[0]].type; }

  std::vector<Neuron> candidates() const {
    const Codes& weight = first().list("weight");
    const Codes& window = first().list("window");
    std::vector<Neuron> found;
    for (std::size_t row = 0; row < rows(); ++row) {
      Neuron neuron{.row = row, .constant = first().list("bias")[row]};
      for (std::size_t k = 0; k < window.size(); ++k) {
        if (window[k] < 0) continue;
        const auto element = static_cast<std::size_t>(window[k]);
        const Interval& x = input().ranges[element];
        const std::int64_t w = weight[row * window.size() + k];
        if (x.is_constant())
          neuron.constant += w * x.low;
        else if ((neuron.weight[element] += w) == 0)
          neuron.weight.erase(element);
      }
      for (const auto& [element, w] : neuron.weight)
        neuron.bits += width_of(input().ranges[element]);
      if (neuron.bits <= options_.table_bits) found.push_back(std::move(neuron));
    }
    return found;
  }

  /// Runs all patterns of all neurons, a pattern of each at once.
  void enumerate(std::vector<Neuron>& neurons) const {
    int most = 0;
    for (const Neuron& neuron : neurons) most = std::max(most, neuron.bits);
    Codes sums;
    for (const Interval& range : first().type.ranges) sums.push_back(range.low);
    for (std::uint64_t pattern = 0; pattern >> most == 0; ++pattern) {
      for (const Neuron& neuron : neurons)
        if (pattern >> neuron.bits == 0) sums[neuron.row] = sum(neuron, pattern);
      const Codes results = behind(sums);
      for (Neuron& neuron : neurons)
        if (pattern >> neuron.bits == 0) neuron.entries.push_back(results[neuron.row]);
    }
  }

  std::int64_t sum(const Neuron& neuron, std::uint64_t pattern) const {
    std::int64_t sum = neuron.constant;
    for (const auto& [element, weight] : neuron.weight) {
      const Interval& x = input().ranges[element];
      sum += weight * code_in(x, pattern);
      pattern >>= static_cast<unsigned>(width_of(x));
    }
    return sum;
  }

  /// What the rest of the chain makes of sums.
  Codes behind(Codes codes) const {
    Codes next(codes.size());
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      const IntegerNode& node = graph_.nodes[nodes_[i]];
      const std::array<const Codes*, 1> in = {&codes};
      find_integer_op(node.op)->evaluate(call_of(graph_, node), in, next);
      std::swap(codes, next);
    }
    return codes;
  }

  static std::size_t push(IntegerGraph& to, IntegerNode node) {
    node.type.ranges = find_integer_op(node.op)->ranges(call_of(to, node));
    to.nodes.push_back(std::move(node));
    return to.nodes.size() - 1;
  }

  /// Rows that are not kept are constants, in the range that the ops behind them know.
  std::size_t append_adders(IntegerGraph& to, std::size_t input,
                            const std::set<std::size_t>& kept) const {
    IntegerNode matrix = first();
    const std::size_t columns = matrix.list("window").size();
    for (std::size_t row = 0; row < rows(); ++row) {
      if (kept.contains(row)) continue;
      const auto weight =
          matrix.attrs["weight"].begin() + static_cast<std::ptrdiff_t>(row * columns);
      std::fill_n(weight, columns, 0);
      matrix.attrs["bias"][row] = first().type.ranges[row].low;
    }
    matrix.inputs = {input};
    std::size_t last = push(to, std::move(matrix));
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      IntegerNode node = graph_.nodes[nodes_[i]];
      node.inputs = {last};
      last = push(to, std::move(node));
    }
    return last;
  }

  std::size_t append_tables(IntegerGraph& to, std::size_t input, std::span<const Neuron> tables,
                            std::string_view suffix) const {
    IntegerNode node{.name = cat(first().name, suffix),
                     .op = "lookup",
                     .inputs = {input},
                     .type = graph_.nodes[nodes_.back()].type};
    if (tables.size() != rows()) node.type.shape = {std::ssize(tables)};
    node.type.ranges.resize(tables.size());
    for (const std::string_view attr : {"fan_in", "index", "values"}) node.attrs[std::string(attr)];
    for (const Neuron& neuron : tables) {
      node.attrs["fan_in"].push_back(std::ssize(neuron.weight));
      for (const auto& [element, weight] : neuron.weight)
        node.attrs["index"].push_back(static_cast<std::int64_t>(element));
      Codes& values = node.attrs["values"];
      values.insert(values.end(), neuron.entries.begin(), neuron.entries.end());
    }
    std::vector<std::string> comments;
    std::vector<std::string> remarks;
    for (const std::size_t own : nodes_) {
      comments.push_back(graph_.nodes[own].op);
      if (const std::string& remark = graph_.nodes[own].remark; !remark.empty())
        remarks.push_back(remark);
    }
    node.comment = cat(join(comments, ", "), " of ", counted(std::ssize(tables), "neuron"), "; ",
                       first().comment);
    node.remark = join(remarks, "; ");
    return push(to, std::move(node));
  }

  /// Of these rows alone, by the estimate.
  Result<double> luts(const std::set<std::size_t>& kept, std::span<const Neuron> tables) const {
    IntegerGraph alone{.name = "alone"};
    alone.nodes.push_back({.name = "x", .op = "input", .type = input()});
    alone.inputs.push_back({.node = 0, .placeholder = "x"});
    alone.outputs = {append(alone, 0, kept, tables)};
    CH_TRY(const Netlist netlist, to_netlist(alone, options_));
    double sum = 0;
    for (const ModuleEstimate& module : estimate(netlist).modules) sum += module.luts;
    return sum;
  }

  const IntegerGraph& graph_;
  std::vector<std::size_t> nodes_;
  NetlistOptions options_;
};

class TableMaker {
 public:
  TableMaker(const IntegerGraph& graph, const NetlistOptions& options)
      : graph_(graph), options_(options), readers_(graph.nodes.size()) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
      for (const std::size_t input : graph.nodes[i].inputs) readers_[input].push_back(i);
    for (const std::size_t output : graph.outputs) readers_[output].push_back(graph.nodes.size());
    to_.name = graph.name;
  }

  Result<IntegerGraph> run() {
    std::vector<bool> done(graph_.nodes.size());
    moved_.resize(graph_.nodes.size());
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (done[i]) continue;
      if (is_matrix(graph_.nodes[i])) {
        const Chain chain(graph_, chain_at(i), options_);
        CH_TRY(const std::vector<Neuron> tables, chain.choose());
        if (!tables.empty()) {
          replace(chain, tables);
          for (const std::size_t node : chain.nodes()) done[node] = true;
          continue;
        }
      }
      IntegerNode node = graph_.nodes[i];
      for (std::size_t& input : node.inputs) input = moved_[input];
      to_.nodes.push_back(std::move(node));
      moved_[i] = to_.nodes.size() - 1;
    }
    for (IntegerInput input : graph_.inputs) {
      input.node = moved_[input.node];
      to_.inputs.push_back(std::move(input));
    }
    for (const std::size_t output : graph_.outputs) to_.outputs.push_back(moved_[output]);
    CH_CHECK(verify(to_));
    return std::move(to_);
  }

 private:
  /// Applied to one window.
  static bool is_matrix(const IntegerNode& node) {
    return find_integer_op(node.op)->matrix != nullptr &&
           node.list("window").size() * node.type.size() == node.list("weight").size();
  }

  std::vector<std::size_t> chain_at(std::size_t node) const {
    std::vector<std::size_t> chain = {node};
    while (readers_[chain.back()].size() == 1) {
      const std::size_t reader = readers_[chain.back()][0];
      if (reader == graph_.nodes.size() ||
          !find_integer_op(graph_.nodes[reader].op)->is_elementwise())
        break;
      chain.push_back(reader);
    }
    return chain;
  }

  void replace(const Chain& chain, std::span<const Neuron> tables) {
    std::set<std::size_t> kept;
    for (std::size_t row = 0; row < chain.rows(); ++row) kept.insert(row);
    for (const Neuron& neuron : tables) kept.erase(neuron.row);
    const std::size_t input = moved_[graph_.nodes[chain.nodes()[0]].inputs[0]];
    moved_[chain.nodes().back()] = chain.append(to_, input, kept, tables);
  }

  const IntegerGraph& graph_;
  const NetlistOptions& options_;
  std::vector<std::vector<std::size_t>> readers_;  ///< the size of the graph stands for its end
  IntegerGraph to_;
  std::vector<std::size_t> moved_;
};

}  // namespace

Result<IntegerGraph> with_tables(IntegerGraph graph, const NetlistOptions& options) {
  if (options.table_bits <= 0) return graph;
  return TableMaker(graph, options).run();
}

}  // namespace chop::hardware

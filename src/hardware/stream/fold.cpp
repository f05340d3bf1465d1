// Folding: units that hand each other words, a token (all channels of a position) at a time. Nodes
// are placed in order, each in the first of these ways that it allows:
//   token by token  relu, add, requantise: a core, which is a netlist for one token. What follows
//                   token by token joins it.
//   windows         convolutions and poolings whose windows move evenly: a line buffer that makes a
//                   word of each window, then a core, or a multiply-accumulate unit (--reuse)
//   whole           anything else: a core on one word with all tokens
//
// conv2d of [3, 8, 8] with a 3 x 3 kernel and a relu, with --reuse 9:
//   input -> conv_window (words of 27 taps) -> conv_mac (9 cycles each) -> relu_stage -> output
#include "hardware/stream/fold.hpp"

#include "hardware/integer/op_def.hpp"
#include "hardware/stream/flows.hpp"
#include "hardware/stream/token_graph.hpp"
#include "support/text.hpp"

namespace chop::hardware {
namespace {

class Folding {
 public:
  Folding(const IntegerGraph& graph, const FoldOptions& options)
      : graph_(graph), options_(options), flows_(graph) {}

  Result<Dataflow> run() {
    CH_CHECK(check());
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (!flows_.is_given(i) && flows_.readers(i) > 0) CH_CHECK(place(i));
    return flows_.finish();
  }

 private:
  Status check() const {
    if (graph_.inputs.size() != 1 || graph_.outputs.size() != 1)
      return Error{.what = cat("a folded circuit has one input and one output, the network has ",
                               graph_.inputs.size(), " and ", graph_.outputs.size()),
                   .hint = "give the input one format, or leave --reuse away"};
    std::vector<std::string> layers;
    for (const IntegerNode& node : graph_.nodes)
      if (matrix_of(node)) layers.push_back(node.name);
    for (const auto& [name, reuse] : options_.reuse_of)
      if (std::find(layers.begin(), layers.end(), name) == layers.end())
        return Error{.what = cat("no layer with a matrix is called '", name, "'"),
                     .hint = cat("there are: ", join(layers, ", "))};
    return {};
  }

  static std::optional<LinearMap> matrix_of(const IntegerNode& node) {
    const IntegerOpDef& op = *find_integer_op(node.op);
    return op.matrix == nullptr ? std::nullopt : std::optional(op.matrix(node));
  }

  Status place(std::size_t index) {
    const IntegerNode& node = graph_.nodes[index];
    if (node.inputs.empty()) return place_input(index);
    const std::vector<std::size_t> from = distinct_inputs(node);
    if (from.size() == 1) {
      Flow flow = flows_.take(from[0]);
      if (node.has("window")) return place_windows(index, std::move(flow));
      if (token_node(node, one(from[0], flow.layout), flow.layout)) {
        const TokenLayout layout = flow.layout;
        return place_tokens(index, std::move(flow), one(from[0], layout), layout);
      }
      return place_whole(index, {std::move(flow)}, from);
    }
    std::vector<Flow> flows;
    for (const std::size_t input : from) flows.push_back(flows_.take(input));
    const TokenLayout layout = layout_of(node.type.shape);
    bool alike = layout.tokens() > 1;
    for (const Flow& flow : flows)
      alike = alike && flow.layout.height == layout.height && flow.layout.width == layout.width;
    const std::vector<TokenInput> inputs = inputs_of(from, flows);
    if (!alike || !token_node(node, inputs, layout))
      return place_whole(index, std::move(flows), from);
    return place_tokens(index, flows_.join(node, std::move(flows)), inputs, layout);
  }

  static std::vector<TokenInput> one(std::size_t node, const TokenLayout& layout) {
    return {{node, layout}};
  }

  std::vector<TokenInput> inputs_of(const std::vector<std::size_t>& from,
                                    const std::vector<Flow>& flows) const {
    std::vector<TokenInput> inputs;
    for (std::size_t i = 0; i < from.size(); ++i) inputs.push_back({from[i], flows[i].layout});
    return inputs;
  }

  Status place_input(std::size_t index) {
    const IntegerNode& node = graph_.nodes[index];
    Flow flow{.layout = layout_of(node.type.shape)};
    flow.link = flows_.input(channel_ranges(node.type, flow.layout), flow.layout);
    for (std::int64_t t = 0; t < flow.layout.tokens(); ++t) flow.need.push_back(t + 1);
    flows_.give(index, flow);
    return {};
  }

  /// A node and what follows it token by token, as one core.
  Status place_tokens(std::size_t index, Flow flow, const std::vector<TokenInput>& inputs,
                      const TokenLayout& layout) {
    const IntegerNode& node = graph_.nodes[index];
    TokenGraph tokens(graph_, flows_.word(flow.link), inputs, node.name);
    CH_CHECK(tokens.add(index, *token_node(node, inputs, layout)));
    return place_core(index, tokens, std::move(flow), layout);
  }

  /// Absorbs what follows, and makes the core.
  Status place_core(std::size_t index, TokenGraph& tokens, Flow flow, const TokenLayout& layout) {
    std::size_t last = index;
    for (std::size_t next = index + 1; next < graph_.nodes.size(); ++next) {
      const IntegerNode& node = graph_.nodes[next];
      if (node.inputs != std::vector<std::size_t>{last}) continue;
      if (flows_.readers(last) != 1 || node.has("window")) break;
      std::optional<IntegerNode> own = token_node(node, one(last, layout), layout);
      if (!own) break;
      flows_.absorb(last);
      CH_CHECK(tokens.add(next, std::move(*own)));
      last = next;
    }
    flow.layout = layout;
    if (!tokens.empty()) {
      CH_TRY(Netlist core, to_netlist(tokens.graph(), options_.netlist));
      flow.latency += core.top().latency + 1;
      // The ranges of the netlist may be narrower than those of the integers.
      Word word;
      for (const Output& output : core.top().outputs) word.push_back(core.top().range(output.wire));
      const std::size_t module = flows_.append(std::move(core));
      flow.link = flows_.unit(cat(plain_name(graph_.nodes[last].name), "_stage"), CoreUnit{module},
                              {flow.link}, std::move(word), tokens.comment());
    }
    flows_.give(last, flow);
    return {};
  }

  /// Puts a window in front where one is needed; returns the number of each tap in the word.
  std::vector<std::size_t> gather(const std::string& name, Flow& flow, const Windows& windows,
                                  std::int64_t padding) {
    std::vector<std::size_t> element;
    if (windows.is_pointwise(flow.layout)) {
      for (const Tap& tap : windows.taps) element.push_back(static_cast<std::size_t>(tap.channel));
      return element;
    }
    const Word from = flows_.word(flow.link);
    WindowUnit window{.from = flow.layout, .windows = windows};
    Word word;
    for (const Tap& tap : windows.taps) {
      Interval range = from[static_cast<std::size_t>(tap.channel)];
      const std::int64_t outside = padding == kLeast ? range.low : padding;
      if (tap.may_be_outside) range = hull(range, {outside, outside});
      window.padding.push_back(outside);
      element.push_back(word.size());
      word.push_back(range);
    }
    std::vector<std::int64_t> need;
    for (const std::size_t last : window.last_tokens()) need.push_back(flow.need[last]);
    flow.link = flows_.unit(
        cat(name, "_window"), std::move(window), {flow.link}, std::move(word),
        cat("windows of ",
            to_string(Shape{flow.layout.channels, flow.layout.height, flow.layout.width})));
    flow.need = std::move(need);
    flow.latency += 1;
    return element;
  }

  static constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

  /// Layers with windows: shared by all channels, or one window for each.
  Status place_windows(std::size_t index, Flow flow) {
    const IntegerNode& node = graph_.nodes[index];
    const TokenLayout to = layout_of(node.type.shape);
    const Codes& window = node.list("window");
    const std::optional<LinearMap> matrix = matrix_of(node);
    const std::size_t rows = matrix ? matrix->rows : 1;
    const std::size_t columns = window.size() * rows / node.type.size();
    const auto fits = [&](const std::optional<Windows>& windows) {
      return windows && WindowUnit{.from = flow.layout, .windows = *windows}.fits();
    };
    const auto gathered = [&](const Windows& windows) {
      return gather(plain_name(node.name), flow, windows, matrix ? 0 : kLeast);
    };
    if (matrix && static_cast<std::int64_t>(rows) == to.channels)
      if (const auto shared = fit_windows(flow.layout, window, columns, to.height, to.width);
          fits(shared)) {
        const std::vector<std::size_t> element = gathered(*shared);
        return place_matrix(index, std::move(flow), to, element);
      }
    if (rows == 1)
      if (const auto planes = fit_planes(flow.layout, window, columns, to); fits(planes)) {
        const std::vector<std::size_t> element = gathered(*planes);
        return place_gathered(index, std::move(flow), to, element);
      }
    return place_whole(index, {std::move(flow)}, {node.inputs[0]});
  }

  /// A node on the word of its windows, as adders.
  Status place_gathered(std::size_t index, Flow flow, const TokenLayout& to,
                        const std::vector<std::size_t>& element) {
    const IntegerNode& node = graph_.nodes[index];
    const Word& word = flows_.word(flow.link);
    TokenGraph tokens(graph_, word,
                      one(node.inputs[0], {.channels = static_cast<std::int64_t>(word.size())}),
                      node.name);
    IntegerNode own = node;
    own.type = {.shape = {to.channels}, .frac = node.type.frac};
    own.attrs["window"].clear();
    for (const std::size_t at : element)
      own.attrs["window"].push_back(static_cast<std::int64_t>(at));
    CH_CHECK(tokens.add(index, std::move(own)));
    return place_core(index, tokens, std::move(flow), to);
  }

  Status place_matrix(std::size_t index, Flow flow, const TokenLayout& to,
                      const std::vector<std::size_t>& element) {
    const IntegerNode& node = graph_.nodes[index];
    const std::int64_t reuse = reuse_of(node);
    if (reuse <= 1) return place_gathered(index, std::move(flow), to, element);
    LinearMap matrix = *matrix_of(node);
    MacUnit mac{.rows = matrix.rows,
                .columns = element.size(),
                .weight = std::move(matrix.weight),
                .bias = std::move(matrix.bias),
                .element = element,
                .in_luts = options_.multiply_in_luts};
    mac.spread_over(static_cast<std::size_t>(reuse));
    const std::string comment = cat(node.comment, "; ", mac.lanes() * mac.row_lanes(),
                                    " multipliers, ", mac.cycles(), " cycles");
    TokenGraph tokens(graph_, channel_ranges(node.type, to), one(index, to), node.name);
    flow.link = flows_.unit(cat(plain_name(node.name), "_mac"), std::move(mac), {flow.link},
                            channel_ranges(node.type, to), comment);
    flow.latency += 3;
    return place_core(index, tokens, std::move(flow), to);
  }

  std::int64_t reuse_of(const IntegerNode& node) const {
    const auto found = options_.reuse_of.find(node.name);
    return found == options_.reuse_of.end() ? options_.reuse : found->second;
  }

  /// Whatever it is, on all elements of its inputs at once.
  Status place_whole(std::size_t index, std::vector<Flow> flows,
                     const std::vector<std::size_t>& from) {
    const IntegerNode& node = graph_.nodes[index];
    std::vector<std::size_t> in;
    Word word;
    Flow flow{.need = {0}};
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (flows[i].layout.tokens() > 1)
        gather(cat(plain_name(node.name), "_", i), flows[i], whole_frame(flows[i].layout), 0);
      in.push_back(flows[i].link);
      word.insert(word.end(), flows_.word(in[i]).begin(), flows_.word(in[i]).end());
      flow.need[0] = std::max(flow.need[0], flows[i].need[0]);
      flow.latency = std::max(flow.latency, flows[i].latency);
    }
    flow.link = in[0];
    if (in.size() > 1)
      flow.link = flows_.unit(cat(plain_name(node.name), "_join"), JoinUnit{}, in, std::move(word));
    std::vector<TokenInput> inputs;
    for (const std::size_t input : from)
      inputs.push_back(
          {input, {.channels = static_cast<std::int64_t>(graph_.nodes[input].type.size())}});
    TokenGraph tokens(graph_, flows_.word(flow.link), inputs, node.name);
    IntegerNode own = node;
    own.type.ranges.clear();
    CH_CHECK(tokens.add(index, std::move(own)));
    const TokenLayout layout{.channels = static_cast<std::int64_t>(node.type.size())};
    return place_core(index, tokens, std::move(flow), layout);
  }

  const IntegerGraph& graph_;
  const FoldOptions& options_;
  Flows flows_;
};

}  // namespace

Result<FoldOptions> parse_reuse(std::string_view text) {
  FoldOptions options;
  for (const std::string& part : split(text, ',')) {
    const std::size_t at = part.find('=');
    const auto number = parse_int(at == std::string::npos ? part : part.substr(at + 1));
    if (!number || *number < 1 || *number > 1'000'000)
      return Error{.what = cat("'", part, "' is no reuse"),
                   .hint = "--reuse N, or --reuse LAYER=N,LAYER=N, with N from 1 to 1000000"};
    if (at == std::string::npos)
      options.reuse = *number;
    else
      options.reuse_of[part.substr(0, at)] = *number;
  }
  return options;
}

Result<Dataflow> fold(const IntegerGraph& graph, const FoldOptions& options) {
  CH_CHECK(verify(graph));
  return Folding(graph, options).run();
}

}  // namespace chop::hardware

// y[o, p] = Σ_k w[o, k] · x[window[p, k]] + b[o]: a matrix for every window of the input. A linear
// layer has one window, the whole input; a convolution one for every position, where -1 is padding.
#include "hardware/netlist/layer_builder.hpp"

namespace chop::hardware::integer_ops::linear {
namespace {

struct Sizes {
  std::size_t rows;     ///< of the matrix
  std::size_t columns;  ///< inputs of a window
  std::size_t windows;

  explicit Sizes(const IntegerNode& node)
      : rows(node.list("bias").size()),
        columns(rows == 0 ? 0 : node.list("weight").size() / rows),
        windows(columns == 0 ? 0 : node.list("window").size() / columns) {}
};

Status check(const IntegerCall& call) {
  const IntegerNode& node = call.node;
  const Sizes s(node);
  if (s.rows * s.columns != node.list("weight").size() || s.columns == 0 ||
      s.windows * s.columns != node.list("window").size() || s.rows * s.windows != call.size())
    return Error{.what = "weight, bias and window do not fit each other"};
  for (const std::int64_t at : node.list("window"))
    if (at < -1 || at >= std::ssize(call.in[0]->ranges))
      return Error{.what = cat("a window reads element ", at)};
  return {};
}

/// The range of position `k` of a window; padding is 0.
Interval element(const IntegerCall& call, std::int64_t at) {
  return at < 0 ? Interval{} : call.in[0]->ranges[static_cast<std::size_t>(at)];
}

/// What position k of any window can be: one circuit serves them all.
std::vector<Interval> columns_of(const IntegerCall& call, const Sizes& s) {
  const Codes& window = call.node.list("window");
  std::vector<Interval> x(s.columns);
  for (std::size_t k = 0; k < s.columns; ++k) {
    x[k] = element(call, window[k]);
    for (std::size_t p = 1; p < s.windows; ++p)
      x[k] = hull(x[k], element(call, window[p * s.columns + k]));
  }
  return x;
}

std::vector<Interval> ranges(const IntegerCall& call) {
  const Sizes s(call.node);
  const Codes& weight = call.node.list("weight");
  const std::vector<Interval> x = columns_of(call, s);
  std::vector<Interval> result;
  for (std::size_t row = 0; row < s.rows; ++row) {
    const std::int64_t bias = call.node.list("bias")[row];
    Interval sum{bias, bias};
    for (std::size_t k = 0; k < s.columns; ++k) sum = sum + x[k] * weight[row * s.columns + k];
    result.insert(result.end(), s.windows, sum);
  }
  return result;
}

void evaluate(const IntegerCall& call, std::span<const Codes* const> in, Codes& out) {
  const Sizes s(call.node);
  const Codes& weight = call.node.list("weight");
  const Codes& window = call.node.list("window");
  const Codes& bias = call.node.list("bias");
  for (std::size_t row = 0; row < s.rows; ++row)
    for (std::size_t p = 0; p < s.windows; ++p) {
      std::int64_t sum = bias[row];
      for (std::size_t k = 0; k < s.columns; ++k)
        if (const std::int64_t at = window[p * s.columns + k]; at >= 0)
          sum += weight[row * s.columns + k] * (*in[0])[static_cast<std::size_t>(at)];
      out[row * s.windows + p] = sum;
    }
}

LinearMap matrix(const IntegerNode& node) {
  const Sizes s(node);
  return {.rows = s.rows,
          .columns = s.columns,
          .weight = node.list("weight"),
          .bias = node.list("bias")};
}

/// The matrix as a module of its own, for inputs that hold those of every window.
std::size_t kernel(LayerBuilder& layer, const Sizes& s, const LinearMap& map) {
  const std::vector<Interval> x = columns_of(layer.call(), s);
  return layer.inner("kernel", x, [&](ModuleBuilder& cells, std::span<const WireId> wires) {
    return build_linear(cells, map, wires, layer.adders());
  });
}

void build(LayerBuilder& layer) {
  const Sizes s(layer.node());
  const Codes& window = layer.node().list("window");
  const LinearMap map = matrix(layer.node());
  const auto inputs_of = [&](std::size_t p) {
    std::vector<WireId> x;
    for (std::size_t k = 0; k < s.columns; ++k) {
      const std::int64_t at = window[p * s.columns + k];
      x.push_back(at < 0 ? layer.cells().constant(0) : layer.in()[static_cast<std::size_t>(at)]);
    }
    return x;
  };
  if (s.windows == 1) {
    for (const WireId wire : build_linear(layer.cells(), map, inputs_of(0), layer.adders()))
      layer.out(wire);
    return;
  }
  const std::size_t module = kernel(layer, s, map);
  std::vector<std::vector<WireId>> results;
  for (std::size_t p = 0; p < s.windows; ++p)
    results.push_back(layer.cells().instance(cat("at_", p), layer.netlist(), module, inputs_of(p)));
  for (std::size_t row = 0; row < s.rows; ++row)
    for (std::size_t p = 0; p < s.windows; ++p) layer.out(results[p][row]);
}

Status prove(const IntegerCall& call, const Netlist& netlist, std::size_t module) {
  const Sizes s(call.node);
  const Codes& window = call.node.list("window");
  const Codes& weights = call.node.list("weight");
  const Codes& bias = call.node.list("bias");
  std::vector<LinearForm> wanted;
  for (std::size_t row = 0; row < s.rows; ++row)
    for (std::size_t p = 0; p < s.windows; ++p) {
      LinearForm form{.constant = bias[row]};
      for (std::size_t k = 0; k < s.columns; ++k) {
        const std::int64_t at = window[p * s.columns + k];
        const std::int64_t weight = weights[row * s.columns + k];
        // An input of one value only is a constant to the circuit.
        if (const Interval x = element(call, at); x.is_constant())
          form.constant += weight * x.low;
        else if (weight != 0)
          form.coefficients[static_cast<std::size_t>(at)] += weight;
      }
      wanted.push_back(std::move(form));
    }
  return prove_linear(netlist, module, wanted);
}

}  // namespace

IntegerOpDef define() {
  return {.name = "linear",
          .doc = "y[o, p] = Σ_k w[o, k] · x[window[p, k]] + b[o], with constant w, b and window",
          .attrs = {"weight", "bias", "window"},
          .check = check,
          .ranges = ranges,
          .evaluate = evaluate,
          .build = build,
          .matrix = matrix,
          .prove = prove};
}

}  // namespace chop::hardware::integer_ops::linear

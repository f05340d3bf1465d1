#include "analysis/compare/compare_outputs.hpp"

#include "analysis/calibration/observe.hpp"
#include "data/splits.hpp"
#include "support/system/batches.hpp"

namespace chop::analysis {
namespace {

/// A value of each graph, and the result of comparing them.
struct Pair {
  Value before;
  Value after;
  std::int64_t width = 0;  ///< floats per sample, or of the whole tensor when it is constant
  bool constant = false;
  std::vector<float> kept = {};  ///< of the first network, for the current rows
  std::int64_t taken = 0;        ///< samples of the second network compared so far
};

bool flows(const Node& node) {
  return node.opcode != Opcode::Output && node.opcode != Opcode::GetAttr;
}

/// Results of nodes both graphs have, one sample of the same shape in both.
Result<std::vector<Pair>> find_pairs(const Graph& a, const Graph& b, OutputsComparison& into) {
  std::vector<Pair> pairs;
  std::vector<Value> in_a;
  std::vector<Value> in_b;
  for (const NodeId id : a.order()) {
    const std::optional<NodeId> other = b.find(a.node(id).name);
    if (!other || !flows(a.node(id)) || !flows(b.node(*other))) continue;
    in_a.push_back({id});
    in_b.push_back({*other});
  }
  CH_TRY(const auto shapes_a, sample_shapes(a, in_a));
  CH_TRY(const auto shapes_b, sample_shapes(b, in_b));
  for (std::size_t i = 0; i < in_a.size(); ++i) {
    const std::string& name = a.node(in_a[i].node).name;
    if (!shapes_a[i] || !shapes_b[i]) {
      into.left_out.push_back(cat(name, ": samples do not follow one another in its result"));
      continue;
    }
    if (shapes_a[i]->shape != shapes_b[i]->shape ||
        shapes_a[i]->constant != shapes_b[i]->constant) {
      into.left_out.push_back(cat(name, ": a sample is ", to_string(shapes_a[i]->shape),
                                  " before, ", to_string(shapes_b[i]->shape), " after"));
      continue;
    }
    pairs.push_back({.before = in_a[i],
                     .after = in_b[i],
                     .width = numel(shapes_a[i]->shape),
                     .constant = shapes_a[i]->constant});
    into.nodes.push_back({.node = name, .shape = shapes_a[i]->shape, .error = {}});
  }
  return pairs;
}

/// The last results as a further pair, whatever their nodes are called.
std::optional<Pair> find_predictions(const Graph& a, const Graph& b) {
  const std::vector<Value> out_a = a.outputs();
  const std::vector<Value> out_b = b.outputs();
  if (out_a.empty() || out_b.empty()) return {};
  const auto shape_a = sample_shapes(a, {&out_a[0], 1});
  const auto shape_b = sample_shapes(b, {&out_b[0], 1});
  if (!shape_a || !shape_b || !shape_a.value()[0] || !shape_b.value()[0]) return {};
  const SampleShape& sample = *shape_a.value()[0];
  if (sample.shape != shape_b.value()[0]->shape || sample.constant || sample.shape.size() != 2 ||
      sample.shape[0] != 1 || sample.shape[1] < 1)
    return {};
  return Pair{.before = out_a[0], .after = out_b[0], .width = sample.shape[1]};
}

/// So many rows that the activations kept of the first network take a few megabytes.
std::int64_t rows_at_once(const std::vector<Pair>& pairs, std::int64_t rows) {
  constexpr std::int64_t kFloats = std::int64_t{16} << 20U;
  std::int64_t width = 1;
  for (const Pair& pair : pairs) width += pair.width;
  return std::clamp<std::int64_t>(kFloats / width, 1, std::max<std::int64_t>(rows, 1));
}

std::int64_t largest(const float* values, std::int64_t count) {
  return std::max_element(values, values + count) - values;
}

std::vector<Value> sides(const std::vector<Pair>& pairs, Value Pair::*side) {
  std::vector<Value> values;
  for (const Pair& pair : pairs) values.push_back(pair.*side);
  return values;
}

class OutputComparer {
 public:
  OutputComparer(std::vector<Pair> pairs, OutputsComparison& into)
      : pairs_(std::move(pairs)), into_(into) {}

  Status run(const Graph& before, const Graph& after, const Split& part, int threads) {
    const ObserveOptions options{.rows = part.rows(), .threads = threads, .through_formats = true};
    for (Pair& pair : pairs_) {
      pair.kept.clear();
      pair.taken = 0;
    }
    CH_CHECK(named("before", observe(before, sides(pairs_, &Pair::before), part, options,
                                     [this](auto observed) { keep(observed); })));
    CH_CHECK(named("after", observe(after, sides(pairs_, &Pair::after), part, options,
                                    [this](auto observed) { compare(observed); })));
    first_ = false;
    return {};
  }

 private:
  static Status named(const char* which, Status status) {
    if (status) return status;
    return std::move(status).error().note(cat("running the network ", which));
  }

  void keep(std::span<const Observation> observed) {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      Pair& pair = pairs_[i];
      if (pair.constant && !pair.kept.empty()) continue;
      const std::int64_t count = observed[i].samples * pair.width;
      pair.kept.insert(pair.kept.end(), observed[i].values, observed[i].values + count);
    }
  }

  void compare(std::span<const Observation> observed) {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      Pair& pair = pairs_[i];
      if (pair.constant && (pair.taken > 0 || !first_)) continue;
      const float* wanted = pair.kept.data() + pair.taken * pair.width;
      pair.taken += observed[i].samples;
      if (i < into_.nodes.size())
        into_.nodes[i].error.add(wanted, observed[i].values, observed[i].samples * pair.width);
      else
        count_predictions(wanted, observed[i], pair.width);
    }
  }

  void count_predictions(const float* wanted, const Observation& observed, std::int64_t classes) {
    for (std::int64_t row = 0; row < observed.samples; ++row)
      if (largest(wanted + row * classes, classes) ==
          largest(observed.values + row * classes, classes))
        ++into_.same_predictions;
  }

  std::vector<Pair> pairs_;  ///< one per node compared, then perhaps the predictions
  OutputsComparison& into_;
  bool first_ = true;
};

}  // namespace

Split rows_of(const Split& split, std::int64_t first, std::int64_t count) {
  return data::copy_split(data::bytes_of(split), first, first + count, /*threads=*/1);
}

Result<OutputsComparison> compare_outputs(const Graph& before, const Graph& after,
                                          const Split& split,
                                          const CompareOutputsOptions& options) {
  OutputsComparison found{.rows = std::min(options.rows, split.rows())};
  CH_TRY(std::vector<Pair> pairs, find_pairs(before, after, found));
  if (const std::optional<Pair> predictions = find_predictions(before, after)) {
    pairs.push_back(*predictions);
    found.has_predictions = true;
  }
  if (pairs.empty()) return found;
  const Batches batches{found.rows, rows_at_once(pairs, found.rows)};
  OutputComparer comparer(std::move(pairs), found);
  for (std::int64_t i = 0; i < batches.count(); ++i) {
    const Split part = rows_of(split, batches.first_row(i), batches.rows_in(i));
    CH_CHECK(comparer.run(before, after, part, options.threads));
  }
  const auto differs = [](const OutputComparison& node) { return node.error.different() > 0; };
  const auto first = std::find_if(found.nodes.begin(), found.nodes.end(), differs);
  if (first != found.nodes.end())
    found.first_to_differ = static_cast<std::size_t>(first - found.nodes.begin());
  return found;
}

}  // namespace chop::analysis

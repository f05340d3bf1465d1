// Compiles the graph with the chosen values observed and runs it batch by batch. Batches of many
// rows run beside one another, each on a thread of its own.
#include "analysis/calibration/observe.hpp"

#include <cstring>

#include "compile/compile.hpp"
#include "ir/fixed_batch.hpp"
#include "support/system/batches.hpp"

namespace chop::analysis {
namespace {

std::optional<SampleShape> sample_shape(const TensorType& of_two, const TensorType& of_four) {
  if (of_two == of_four) return SampleShape{of_two.shape, true};
  Shape doubled = of_two.shape;
  if (doubled.empty() || doubled.size() != of_four.shape.size()) return {};
  doubled[0] *= 2;
  if (doubled != of_four.shape || of_two.shape[0] % 2 != 0) return {};
  SampleShape sample{of_two.shape};
  sample.shape[0] /= 2;
  return sample;
}

/// Values of a network that fixes its batch: what follows from the input holds that many samples.
std::optional<SampleShape> sample_shape(const TensorType& type, bool follows_input,
                                        std::int64_t batch) {
  if (!follows_input) return SampleShape{type.shape, true};
  if (type.shape.empty() || type.shape[0] % batch != 0) return {};
  SampleShape sample{type.shape};
  sample.shape[0] /= batch;
  return sample;
}

/// By node: whether its results follow from an input.
std::vector<bool> following_inputs(const Graph& graph) {
  std::vector<bool> follows(graph.id_limit(), false);
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    follows[index(id)] =
        node.opcode == Opcode::Placeholder ||
        std::any_of(node.inputs.begin(), node.inputs.end(),
                    [&follows](const Value& input) { return follows[index(input.node)]; });
  }
  return follows;
}

/// Rows at a time: as many as keep the chosen values within the cache, or nearly.
std::int64_t batch_rows(const Graph& graph, std::span<const Value> values, const Types& of_one,
                        std::int64_t rows) {
  constexpr std::size_t kBytes = std::size_t{4} << 20U;
  std::size_t bytes = 1;
  for (const Value& value : values) bytes += type_of(of_one, value).bytes();
  for (const NodeId id : graph.placeholders()) bytes += of_one[index(id)][0].bytes();
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(kBytes / bytes), 1,
                                  std::min<std::int64_t>(rows, 1024));
}

class ObservingRunner {
 public:
  static Result<ObservingRunner> make(const Graph& graph, const compile::Target& target) {
    ObservingRunner runner;
    CH_TRY(Compiled compiled, compile_graph(graph, target));
    runner.plan_ = std::move(compiled.plan);
    runner.input_ = graph.node(graph.placeholders()[0]).name;
    return runner;
  }

  Status run(const float* x, std::span<const std::int64_t> samples) {
    const std::span<float> input = plan_.input(input_);
    std::copy_n(x, input.size(), input.begin());
    CH_CHECK(plan_.run());
    observations_.clear();
    converted_.resize(plan_.output_count());
    for (std::size_t i = 0; i < plan_.output_count(); ++i) {
      const TensorType& type = plan_.output_type(i);
      if (type.dtype == DType::F32) {
        observations_.push_back({plan_.output(i).data(), samples[i]});
        continue;
      }
      Tensor copy(type);
      std::memcpy(copy.mutable_bytes(), plan_.output<std::byte>(i).data(), type.bytes());
      converted_[i] = copy.to(DType::F32);
      observations_.push_back({converted_[i].data<float>().data(), samples[i]});
    }
    return {};
  }

  std::span<const Observation> observations() const { return observations_; }

 private:
  Plan plan_;
  std::string input_;
  std::vector<Observation> observations_;
  std::vector<Tensor> converted_;
};

/// Steps over few values end before a second thread has joined in. Batches of many rows therefore
/// run beside one another, each on a thread of its own; others one by one, on all threads.
Result<std::vector<ObservingRunner>> make_runners(const Graph& graph, compile::Target target,
                                                  std::int64_t batches) {
  constexpr std::int64_t kMany = 256;
  const std::int64_t count =
      target.batch < kMany ? 1 : std::clamp<std::int64_t>(target.threads, 1, batches);
  if (count > 1) target.threads = 1;
  std::vector<ObservingRunner> made;
  for (std::int64_t i = 0; i < count; ++i) {
    CH_TRY(ObservingRunner runner, ObservingRunner::make(graph, target));
    made.push_back(std::move(runner));
  }
  return made;
}

Status check_input(const Graph& graph, const Split& split, const Types& of_one) {
  const std::vector<NodeId> inputs = graph.placeholders();
  if (inputs.size() != 1)
    return Error{.what = cat("graph '", graph.name(), "' has ", inputs.size(),
                             " inputs; running it on a data set needs one")};
  const TensorType& type = of_one[index(inputs[0])][0];
  if (type.dtype != DType::F32)
    return Error{.what = cat("the input ", graph.node(inputs[0]).name, " takes ",
                             name_of(type.dtype), ", the data set has f32")};
  const std::int64_t batch = fixed_batch(graph).value_or(1);
  if (split.rows() == 0 || numel(type.shape) != batch * (split.x.size() / split.rows()))
    return Error{.what = cat("the network takes samples of shape ", to_string(type.shape),
                             ", the data set has ", to_string(split.x.shape())),
                 .hint = "choose a data set for this model; `ch models` lists shapes"};
  return {};
}

}  // namespace

Result<std::vector<std::optional<SampleShape>>> sample_shapes(const Graph& graph,
                                                              std::span<const Value> values) {
  CH_TRY(const Types of_two, infer_types(graph, 2));
  CH_TRY(const Types of_four, infer_types(graph, 4));
  std::vector<std::optional<SampleShape>> found;
  if (const auto fixed = fixed_batch(graph); fixed && *fixed > 0) {
    const std::vector<bool> follows = following_inputs(graph);
    for (const Value& value : values)
      found.push_back(sample_shape(type_of(of_two, value), follows[index(value.node)], *fixed));
    return found;
  }
  for (const Value& value : values)
    found.push_back(sample_shape(type_of(of_two, value), type_of(of_four, value)));
  return found;
}

Status observe(const Graph& graph, std::span<const Value> values, const Split& split,
               const ObserveOptions& options,
               const std::function<void(std::span<const Observation>)>& take) {
  CH_TRY(const Types of_one, infer_types(graph, 1));
  CH_CHECK(check_input(graph, split, of_one));
  CH_TRY(const auto shapes, sample_shapes(graph, values));
  compile::Target target{.threads = options.threads,
                         .observed = std::vector<Value>(values.begin(), values.end()),
                         .through_formats = options.through_formats};
  const std::int64_t rows = std::min(options.rows, split.rows());
  if (rows <= 0) return {};
  CH_TRY(const std::int64_t at_once,
         batch_for(graph, batch_rows(graph, values, of_one, rows), rows));
  const Batches batches{rows, at_once};
  const std::int64_t width = split.x.size() / split.rows();
  const float* x = split.x.data<float>().data();
  std::vector<ObservingRunner> runners;
  for (std::int64_t begin = 0, end = 0; begin < batches.count(); begin = end) {
    const std::int64_t now = batches.rows_in(begin);
    const std::int64_t alike = (rows - batches.first_row(begin)) / now;  // batches of that size
    if (now != target.batch || runners.empty()) {
      target.batch = now;
      CH_TRY(runners, make_runners(graph, target, alike));
    }
    std::vector<std::int64_t> samples;
    for (const auto& shape : shapes) samples.push_back(shape && shape->constant ? 1 : now);
    end = begin + std::min(static_cast<std::int64_t>(runners.size()), alike);
    std::vector<Status> faults(runners.size());
    for_batches(begin, end, static_cast<int>(end - begin),
                [&](std::int64_t batch, std::size_t lane) {
                  faults[lane] = runners[lane].run(x + batches.first_row(batch) * width, samples);
                  return static_cast<bool>(faults[lane]);
                });
    for (Status& fault : faults) CH_CHECK(std::move(fault));
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(end - begin); ++lane)
      take(runners[lane].observations());
  }
  return {};
}

}  // namespace chop::analysis

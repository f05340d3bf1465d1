#include "train/program.hpp"

#include "ops/core/lower.hpp"
#include "train/correct.hpp"
#include "train/gradient.hpp"

namespace chop::train {
namespace {

struct WithLoss {
  Graph graph;
  Value loss;
  Value logits;
  std::string target;  ///< what the labels' placeholder is called
};

Result<WithLoss> add_loss(Graph graph) {
  const std::vector<Value> outputs = graph.outputs();
  if (outputs.size() != 1 || graph.placeholders().size() != 1)
    return Error{.what = cat("graph '", graph.name(), "' has ", graph.placeholders().size(),
                             " input(s) and ", outputs.size(),
                             " output(s); classification needs one of each")};
  const Value logits = outputs[0];
  const NodeId target = graph.add({.name = "target",
                                   .opcode = Opcode::Placeholder,
                                   .op = "placeholder",
                                   .target = "target",
                                   .attrs = {{"shape", Ints{-1}}, {"dtype", std::string("i64")}}});
  const NodeId loss = graph.add({.name = "loss",
                                 .opcode = Opcode::CallFunction,
                                 .op = "cross_entropy",
                                 .target = "torch.nn.functional.cross_entropy",
                                 .inputs = {logits, {target}}});
  graph.set_outputs({{loss}, logits});
  std::string name = graph.node(target).name;  // another, when the network has a 'target'
  return WithLoss{std::move(graph), {loss}, logits, std::move(name)};
}

/// Two parameters may have one gradient (of a + b, say); the second gets a copy.
void place(Graph& graph, CompileOptions& options, Value value, std::byte* memory) {
  if (options.placed.emplace(value, memory).second) return;
  const std::vector<Value> outputs = graph.outputs();
  const NodeId copy = graph.add({.name = "",
                                 .opcode = Opcode::CallFunction,
                                 .op = "identity",
                                 .target = "identity",
                                 .inputs = {value}});
  graph.set_outputs(outputs);
  options.placed.emplace(Value{copy}, memory);
}

}  // namespace

Result<Program> Program::make(const Graph& lowered, ParameterStore& store, std::int64_t batch,
                              int threads, bool with_gradients, Parameters parameters) {
  Program program;
  program.batch_ = batch;
  CH_TRY(WithLoss with_loss, add_loss(lowered));
  CompileOptions options{.threads = threads, .parameter = [&store](const std::string& name) {
                           return store.memory(name);
                         }};
  options.frozen = parameters == Parameters::Stay;
  Graph graph = std::move(with_loss.graph);
  if (with_gradients) {
    CH_TRY(GradientGraph backward,
           differentiate(std::move(graph), batch, with_loss.loss, store.trainable()));
    graph = std::move(backward.graph);
    for (const auto& [name, value] : backward.gradients)
      place(graph, options, value, store.gradient_memory(name));
  }
  CH_TRY(program.plan_, Plan::compile(graph, batch, options));
  program.inputs_ = program.plan_.input<float>(lowered.node(lowered.placeholders()[0]).name);
  program.targets_ = program.plan_.input<std::int64_t>(with_loss.target);
  const Shape& logits = program.plan_.output_type(1).shape;
  if (logits.size() != 2)
    return Error{.what = cat("the network's output has shape ", to_string(logits),
                             "; classification needs [batch, classes]")};
  program.classes_ = logits[1];
  return program;
}

Result<Program> Program::training(const Graph& graph, ParameterStore& store, std::int64_t batch,
                                  int threads) {
  return make(lower(graph, Mode::Training), store, batch, threads, /*with_gradients=*/true,
              Parameters::Change);
}

Result<Program> Program::evaluation(const Graph& graph, ParameterStore& store, std::int64_t batch,
                                    int threads, Parameters parameters) {
  return make(lower(graph, Mode::Evaluation), store, batch, threads, /*with_gradients=*/false,
              parameters);
}

std::int64_t argmax(std::span<const float> row) {
  std::size_t best = 0;
  for (std::size_t j = 1; j < row.size(); ++j)
    if (row[j] > row[best]) best = j;
  return static_cast<std::int64_t>(best);
}

std::int64_t Program::correct() const {
  return count_correct(logits(), classes_, targets_);
}

}  // namespace chop::train

#include "train/program.hpp"

#include "compile/compile.hpp"
#include "train/correct.hpp"

namespace chop::train {

Result<Program> Program::make(const Graph& graph, ParameterStore* store,
                              const compile::Target& target) {
  compile::Memory memory;
  if (store != nullptr)
    memory = {
        .parameter = [store](const std::string& name) { return store->memory(name); },
        .gradient = [store](const std::string& name) { return store->gradient_memory(name); }};
  CH_TRY(Compiled compiled, compile_graph(graph, target, memory));
  Program program;
  program.batch_ = target.batch;
  program.plan_ = std::move(compiled.plan);
  program.inputs_ = program.plan_.input<float>(graph.node(graph.placeholders()[0]).name);
  program.targets_ = program.plan_.input<std::int64_t>(compiled.labels);
  const Shape& logits = program.plan_.output_type(1).shape;
  if (logits.size() != 2)
    return Error{.what = cat("the network's output has shape ", to_string(logits),
                             "; classification needs [batch, classes]")};
  program.classes_ = logits[1];
  return program;
}

Result<Program> Program::training(const Graph& graph, ParameterStore& store, std::int64_t batch,
                                  int threads) {
  return make(graph, &store,
              {.mode = Mode::Training,
               .batch = batch,
               .threads = threads,
               .loss = true,
               .gradients = store.trainable()});
}

Result<Program> Program::evaluation(const Graph& graph, std::int64_t batch, int threads,
                                    ParameterStore* store) {
  return make(graph, store,
              {.batch = batch, .threads = threads, .frozen = store == nullptr, .loss = true});
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

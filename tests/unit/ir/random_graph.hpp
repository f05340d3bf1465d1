// Random graphs that use everything a graph can hold, odd names and odd numbers included.
#pragma once

#include <string>

#include "ir/graph.hpp"
#include "support/rng.hpp"

namespace chop {

class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : stream_(seed, "random graph") {}

  Graph make() {
    Graph graph(text());
    const std::uint64_t parameters = below(4);
    for (std::uint64_t i = 0; i < parameters; ++i)
      if (Parameter made = parameter(); graph.find_parameter(made.name) == nullptr)
        graph.add_parameter(std::move(made));
    const std::uint64_t nodes = below(12);
    for (std::uint64_t i = 0; i < nodes; ++i) add_node(graph);
    if (below(2) == 0) {
      graph.set_outputs(inputs(graph));
    } else {
      Node output = node(graph);
      output.opcode = Opcode::Output;
      output.op = name_of(Opcode::Output);
      graph.add(std::move(output));
    }
    return graph;
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return stream_.below(next_++, bound); }

  std::string text() {
    static const std::vector<std::string> kPieces = {"a",
                                                     "relu",
                                                     ".",
                                                     "0",
                                                     "1",
                                                     "_",
                                                     "-",
                                                     " ",
                                                     "\"",
                                                     "\\",
                                                     "\n",
                                                     "#",
                                                     "%",
                                                     "é",
                                                     "\xC3",
                                                     "output",
                                                     "nan",
                                                     "true",
                                                     "\xF4\x8F\xBA\x80",
                                                     "{",
                                                     "}",
                                                     "=",
                                                     std::string(1, '\0'),
                                                     "meta",
                                                     "x.1"};
    if (below(3) == 0) return "node_" + std::to_string(below(30));
    std::string made;
    const std::uint64_t length = below(5);
    for (std::uint64_t i = 0; i < length; ++i) made += kPieces[below(kPieces.size())];
    return made;
  }

  double real() {
    switch (below(8)) {
      case 0:
        return 0.0;
      case 1:
        return -0.0;
      case 2:
        return __builtin_inf();
      case 3:
        return __builtin_nan("");
      case 4:
        return static_cast<double>(below(1000)) - 500;
      default:
        return __builtin_bit_cast(double, stream_.bits(next_++));
    }
  }

  std::int64_t whole() { return static_cast<std::int64_t>(stream_.bits(next_++) >> below(64)); }

  Attr attr() {
    switch (below(6)) {
      case 0:
        return below(2) == 0;
      case 1:
        return whole();
      case 2:
        return real();
      case 3:
        return text();
      case 4: {
        Ints values(below(4));
        for (std::int64_t& value : values) value = whole();
        return values;
      }
      default: {
        std::vector<double> values(below(4));
        for (double& value : values) value = real();
        return values;
      }
    }
  }

  Attrs attrs() {
    Attrs made;
    const std::uint64_t count = below(4);
    for (std::uint64_t i = 0; i < count; ++i) made[text()] = attr();
    return made;
  }

  Parameter parameter() {
    Shape shape(below(4));
    for (std::int64_t& dim : shape) dim = static_cast<std::int64_t>(below(4));
    Tensor tensor(static_cast<DType>(below(10)), shape);
    if (tensor.dtype() == DType::Bool) {
      for (bool& element : tensor.mutable_data<bool>()) element = below(2) == 0;
    } else {
      std::byte* bytes = tensor.mutable_bytes();
      for (std::size_t i = 0; i < tensor.size_in_bytes(); ++i)
        bytes[i] = static_cast<std::byte>(below(4) == 0 ? 255 : below(256));
    }
    return {.name = text(), .value = std::move(tensor), .trainable = below(2) == 0};
  }

  /// Tensors of statistics are F32 or I64.
  StatValue stat_value() {
    Tensor tensor = parameter().value;
    if (tensor.dtype() == DType::F32 || tensor.dtype() == DType::I64) return tensor;
    if (below(3) == 0) return text();
    if (below(2) == 0) return whole();
    return real();
  }

  std::vector<Value> inputs(const Graph& graph) {
    std::vector<Value> made(graph.size() == 0 ? 0 : below(4));
    for (Value& value : made)
      value = {graph.order()[below(graph.size())],
               below(3) == 0 ? static_cast<std::uint32_t>(below(0x100000000)) : 0};
    return made;
  }

  TensorMeta tensor_meta() {
    return {.shape = {whole(), whole()},
            .dtype = static_cast<DType>(below(10)),
            .type = text(),
            .precision = {whole()}};
  }

  Metadata metadata() {
    Metadata meta;
    if (below(2) == 0)
      meta.common = CommonMeta{.mase_type = text(),
                               .mase_op = text(),
                               .args = {{text(), tensor_meta()}, {"weight", tensor_meta()}},
                               .constants = {{"dim", attr()}},
                               .results = {{"data_out_0", tensor_meta()}}};
    if (below(2) == 0)
      meta.software =
          SoftwareMeta{.args = {{text(),
                                 {.stat = {{text(), {{text(), stat_value()}}}, {"empty", {}}},
                                  .extra = {{"sparsity", attr()}}}}},
                       .results = {{"data_out_0", {}}}};
    if (below(2) == 0)
      meta.hardware = HardwareMeta{.is_implicit = below(2) == 0,
                                   .device_id = whole(),
                                   .toolchain = text(),
                                   .module = text(),
                                   .verilog_param = attrs()};
    return meta;
  }

  Node node(const Graph& graph) {
    const std::string name = text();
    Node made{.name = name.empty() ? "n" : name,
              .opcode = static_cast<Opcode>(below(5)),
              .op = text(),
              .target = text(),
              .inputs = inputs(graph),
              .attrs = attrs()};
    if (made.opcode == Opcode::CallModule && made.target.empty()) made.target = "t";
    if (!is_call(made.opcode)) {
      made.op = name_of(made.opcode);
      made.inputs.clear();
    }
    const std::uint64_t formats = below(3);
    for (std::uint64_t i = 0; i < formats; ++i)
      made.formats[text()] = {.name = text(), .config = attrs()};
    if (below(2) == 0) made.meta = metadata();
    return made;
  }

  void add_node(Graph& graph) {
    const NodeId id = graph.add(node(graph));
    if (below(6) == 0 && graph.users(id).empty()) graph.erase(id);
  }

  Stream stream_;
  std::uint64_t next_ = 0;
};

}  // namespace chop

// The graph: nodes in execution order, with the tensors their modules own.
//
// A Graph is a plain value: copyable (weights are shared until written), comparable,
// printable, readable back. Nodes are referred to by id, never by pointer, so nothing dangles.
// Opcodes and names are those of torch.fx: module `seq_blocks.2` is node `seq_blocks_2`.
#pragma once

#include "ir/attr.hpp"
#include "ir/metadata.hpp"

namespace chop::ir {

enum class NodeId : std::uint32_t {};
constexpr std::size_t index(NodeId id) {
  return static_cast<std::size_t>(id);
}

/// One result of a node; most nodes have just number 0.
struct Value {
  NodeId node{};
  std::uint32_t index = 0;

  auto operator<=>(const Value&) const = default;  // NOLINT(modernize-use-nullptr)
};

enum class Opcode : std::uint8_t {
  Placeholder,
  GetAttr,
  CallFunction,
  CallMethod,
  CallModule,
  Output
};
std::string_view name_of(Opcode opcode);
std::optional<Opcode> opcode_from_name(std::string_view name);
/// Of a function, method or module: a node that computes.
constexpr bool is_call(Opcode opcode) {
  return opcode == Opcode::CallFunction || opcode == Opcode::CallMethod ||
         opcode == Opcode::CallModule;
}

/// A number format and its settings; plain float32 unless it says otherwise.
struct NumberFormat {
  std::string name{kPlainFormat};
  Attrs config = {};

  /// Values stay as they are.
  bool is_plain() const { return name == kPlainFormat; }

  bool operator==(const NumberFormat& other) const {
    return name == other.name && same_bits(config, other.config);
  }
};

/// The graph finds nodes and parameters by name, so a name never changes: what should be called
/// something else is added under that name.
struct Node {
  const std::string name = {};
  Opcode opcode = Opcode::CallFunction;
  std::string op;      ///< name of the OpDef; "placeholder", "get_attr", "output" for those
  std::string target;  ///< module path, parameter name, or what fx calls the target
  std::vector<Value> inputs = {};
  Attrs attrs = {};
  std::map<std::string, NumberFormat> formats = {};  ///< by operand; absent means float32
  Metadata meta = {};

  bool operator==(const Node& other) const;
};

/// A tensor that modules own. Buffers (running statistics) are saved but not trained.
struct Parameter {
  const std::string name = {};  ///< "seq_blocks.2.weight"
  Tensor value;
  bool trainable = true;

  bool operator==(const Parameter&) const = default;
};

class Graph {
 public:
  explicit Graph(std::string name = "main");
  Graph(const Graph& other);
  Graph(Graph&& other) noexcept;
  Graph& operator=(const Graph& other);
  Graph& operator=(Graph&& other) noexcept;
  ~Graph();

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  /// Appends a node. An empty name is made from the target or op as torch.fx does; a taken
  /// one gets _1, _2 ...
  NodeId add(Node node);
  NodeId insert_before(NodeId next, Node node);
  /// Removes a node nothing reads.
  void erase(NodeId id);
  /// Makes every reader of `from` read `to`, but for the node of `to` itself: so a node
  /// that reads `from` can be put between it and its other readers.
  void replace_uses(Value from, Value to);

  const Node& node(NodeId id) const { return nodes_[chop::index(id)]; }
  /// Everything of a node may be changed but its name.
  Node& node(NodeId id) { return nodes_[chop::index(id)]; }
  /// Live nodes in execution order.
  std::span<const NodeId> order() const { return order_; }
  std::size_t size() const { return order_.size(); }
  /// One past the largest id; tables indexed by node are this long.
  std::size_t id_limit() const { return nodes_.size(); }
  std::optional<NodeId> find(std::string_view name) const;
  std::vector<NodeId> placeholders() const;
  /// The output node's inputs; empty before there is one.
  std::vector<Value> outputs() const;
  void set_outputs(std::vector<Value> outputs);
  /// The nodes that read any result of `id`, in order; a node reading it twice appears twice.
  std::vector<NodeId> users(NodeId id) const;
  /// Drops call and get_attr nodes no output depends on; returns how many went.
  std::size_t drop_unused();

  void add_parameter(Parameter parameter);
  void erase_parameter(std::string_view name);
  const std::vector<Parameter>& parameters() const { return parameters_; }
  std::span<Parameter> parameters() { return parameters_; }
  const Parameter* find_parameter(std::string_view name) const;
  Parameter* find_parameter(std::string_view name);
  /// Elements of all trainable parameters: what "117 parameters" means.
  std::int64_t parameter_count() const;

  /// Same nodes in the same order, same names, wiring, attributes and tensors, bit for bit.
  bool operator==(const Graph& other) const;

 private:
  std::string unique_name(std::string wanted) const;
  std::string derived_name(const Node& node) const;
  NodeId insert_at(std::size_t position, Node node);
  /// Takes the name off the index and leaves an empty node, so that the other ids stay.
  void clear_node(NodeId id);

  std::string name_;
  std::vector<Node> nodes_;
  std::vector<NodeId> order_;
  std::vector<Parameter> parameters_;
  std::map<std::string, NodeId, std::less<>> by_name_;
  std::map<std::string, std::size_t, std::less<>> parameter_index_;
};

}  // namespace chop::ir

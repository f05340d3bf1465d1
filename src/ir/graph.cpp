#include "ir/graph.hpp"

#include "ir/fx_names.hpp"

namespace chop::ir {
namespace {

constexpr std::array<std::string_view, 6> kOpcodes = {"placeholder", "get_attr",    "call_function",
                                                      "call_method", "call_module", "output"};

}  // namespace

std::string_view name_of(Opcode opcode) {
  return kOpcodes.at(static_cast<std::size_t>(opcode));
}

std::optional<Opcode> opcode_from_name(std::string_view name) {
  const auto* found = std::find(kOpcodes.begin(), kOpcodes.end(), name);
  if (found == kOpcodes.end()) return {};
  return static_cast<Opcode>(found - kOpcodes.begin());
}

bool Node::operator==(const Node& other) const {
  return name == other.name && opcode == other.opcode && op == other.op && target == other.target &&
         inputs == other.inputs && same_bits(attrs, other.attrs) && formats == other.formats &&
         meta == other.meta;
}

Graph::Graph(std::string name) : name_(std::move(name)) {}
Graph::Graph(const Graph& other) = default;
Graph::Graph(Graph&& other) noexcept = default;
Graph& Graph::operator=(const Graph& other) {
  return *this = Graph(other);  // nodes cannot be assigned, only moved along with their vector
}
Graph& Graph::operator=(Graph&& other) noexcept = default;
Graph::~Graph() = default;

std::string Graph::unique_name(std::string wanted) const {
  return free_name(std::move(wanted),
                   [this](const std::string& name) { return by_name_.contains(name); });
}

std::string Graph::derived_name(const Node& node) const {
  std::string_view from = node.target.empty() ? node.op : node.target;
  // torch.nn.functional.relu is called relu.
  if (node.opcode == Opcode::CallFunction) from.remove_prefix(from.find_last_of('.') + 1);
  return free_name(fx_name(from), [this](const std::string& name) {
    return is_python_name(name) || by_name_.contains(name);
  });
}

NodeId Graph::insert_at(std::size_t position, Node node) {
  std::string name = node.name.empty() ? derived_name(node) : unique_name(node.name);
  const auto id = static_cast<NodeId>(nodes_.size());
  by_name_.emplace(name, id);
  nodes_.push_back({.name = std::move(name),
                    .opcode = node.opcode,
                    .op = std::move(node.op),
                    .target = std::move(node.target),
                    .inputs = std::move(node.inputs),
                    .attrs = std::move(node.attrs),
                    .formats = std::move(node.formats),
                    .meta = std::move(node.meta)});
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(position), id);
  return id;
}

void Graph::clear_node(NodeId id) {
  by_name_.erase(node(id).name);
  Node* erased = &node(id);
  std::destroy_at(erased);
  std::construct_at(erased);
}

NodeId Graph::add(Node node) {
  return insert_at(order_.size(), std::move(node));
}

NodeId Graph::insert_before(NodeId next, Node node) {
  const auto at = std::find(order_.begin(), order_.end(), next);
  assert(at != order_.end() && "insert_before needs a live node");
  return insert_at(static_cast<std::size_t>(at - order_.begin()), std::move(node));
}

void Graph::erase(NodeId id) {
  assert(users(id).empty() && "only a node that nothing reads can be erased");
  order_.erase(std::find(order_.begin(), order_.end(), id));
  clear_node(id);
}

void Graph::replace_uses(Value from, Value to) {
  for (const NodeId id : order_) {
    if (id == to.node) continue;
    for (Value& input : node(id).inputs)
      if (input == from) input = to;
  }
}

std::optional<NodeId> Graph::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return {};
  return found->second;
}

std::vector<NodeId> Graph::placeholders() const {
  std::vector<NodeId> found;
  for (const NodeId id : order_)
    if (node(id).opcode == Opcode::Placeholder) found.push_back(id);
  return found;
}

std::vector<Value> Graph::outputs() const {
  for (const NodeId id : order_)
    if (node(id).opcode == Opcode::Output) return node(id).inputs;
  return {};
}

void Graph::set_outputs(std::vector<Value> outputs) {
  for (const NodeId id : order_)
    if (node(id).opcode == Opcode::Output) {
      node(id).inputs = std::move(outputs);
      // Nodes added since then come before it again.
      order_.erase(std::find(order_.begin(), order_.end(), id));
      order_.push_back(id);
      return;
    }
  add({.name = "output",
       .opcode = Opcode::Output,
       .op = "output",
       .target = "output",
       .inputs = std::move(outputs)});
}

std::vector<NodeId> Graph::users(NodeId id) const {
  std::vector<NodeId> found;
  for (const NodeId reader : order_)
    for (const Value& input : node(reader).inputs)
      if (input.node == id) found.push_back(reader);
  return found;
}

std::size_t Graph::drop_unused() {
  std::vector<bool> needed(nodes_.size(), false);
  for (std::size_t i = order_.size(); i-- > 0;) {
    const Node& at = node(order_[i]);
    if (at.opcode == Opcode::Output || at.opcode == Opcode::Placeholder)
      needed[chop::index(order_[i])] = true;
    if (needed[chop::index(order_[i])])
      for (const Value& input : at.inputs) needed[chop::index(input.node)] = true;
  }
  const std::size_t before = order_.size();
  std::erase_if(order_, [&](NodeId id) {
    if (needed[chop::index(id)]) return false;
    clear_node(id);
    return true;
  });
  return before - order_.size();
}

void Graph::add_parameter(Parameter parameter) {
  assert(!parameter_index_.contains(parameter.name) && "a parameter is added once");
  parameter_index_.emplace(parameter.name, parameters_.size());
  parameters_.push_back(std::move(parameter));
}

void Graph::erase_parameter(std::string_view name) {
  const auto found = parameter_index_.find(name);
  assert(found != parameter_index_.end() && "only what is there can be erased");
  const std::size_t erased = found->second;
  parameter_index_.clear();
  std::vector<Parameter> kept;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (i == erased) continue;
    parameter_index_.emplace(parameters_[i].name, kept.size());
    kept.push_back(std::move(parameters_[i]));
  }
  parameters_ = std::move(kept);
}

const Parameter* Graph::find_parameter(std::string_view name) const {
  const auto found = parameter_index_.find(name);
  return found == parameter_index_.end() ? nullptr : &parameters_[found->second];
}

Parameter* Graph::find_parameter(std::string_view name) {
  const auto found = parameter_index_.find(name);
  return found == parameter_index_.end() ? nullptr : &parameters_[found->second];
}

std::int64_t Graph::parameter_count() const {
  std::int64_t count = 0;
  for (const Parameter& parameter : parameters_)
    if (parameter.trainable) count += parameter.value.size();
  return count;
}

bool Graph::operator==(const Graph& other) const {
  if (name_ != other.name_ || size() != other.size() || parameters_ != other.parameters_)
    return false;
  // Ids may differ (erased nodes leave gaps), so wiring is compared by position.
  std::vector<std::size_t> mine(nodes_.size());
  std::vector<std::size_t> theirs(other.nodes_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    mine[chop::index(order_[i])] = i;
    theirs[chop::index(other.order_[i])] = i;
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    Node a = node(order_[i]);
    Node b = other.node(other.order_[i]);
    for (Value& input : a.inputs) input.node = static_cast<NodeId>(mine[chop::index(input.node)]);
    for (Value& input : b.inputs) input.node = static_cast<NodeId>(theirs[chop::index(input.node)]);
    if (!(a == b)) return false;
  }
  return true;
}

}  // namespace chop::ir

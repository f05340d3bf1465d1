// One walk over the lowered network: every call is turned into integer nodes by its lowering, and
// those that cannot be are collected for one error.
#include "hardware/lowering/to_integer.hpp"

#include "compile/lower.hpp"
#include "formats/quantiser.hpp"
#include "hardware/lowering/lowering_def.hpp"
#include "hardware/lowering/merge_clamps.hpp"
#include "ops/core/infer.hpp"
#include "ops/core/registry.hpp"
#include "ops/core/rows.hpp"
#include "support/text.hpp"

namespace chop::hardware {
namespace {

constexpr std::size_t kMostListed = 20;

class IntegerLowering {
 public:
  IntegerLowering(const Graph& graph, const ToIntegerOptions& options)
      : graph_(compile::lower(graph, compile::Mode::Evaluation).graph), options_(options) {
    result_.name = graph.name();
  }

  Result<IntegerGraph> run() {
    CH_TRY(types_, infer_types(graph_, 1));
    for (const NodeId id : graph_.order()) visit(id);
    if (!problems_.empty()) return error();
    CH_CHECK(verify(result_));
    IntegerGraph merged = merge_clamps(std::move(result_));
    CH_CHECK(verify(merged));
    return merged;
  }

 private:
  void visit(NodeId id) {
    const Node& node = graph_.node(id);
    if (node.opcode == Opcode::Placeholder) {
      traced_[{id}] = {.kind = Traced::Kind::Real, .placeholder = node.target};
    } else if (node.opcode == Opcode::GetAttr) {
      traced_[{id}] = {.kind = Traced::Kind::Constant,
                       .constant = graph_.find_parameter(node.target)->value.to(DType::F32)};
    } else if (node.opcode == Opcode::Output) {
      for (const Value value : node.inputs) visit_output(value);
    } else {
      visit_call(id, node);
    }
  }

  void visit_call(NodeId id, const Node& node) {
    std::vector<const Traced*> in;
    std::vector<TensorType> types;
    for (const Value value : node.inputs) {
      in.push_back(&traced_[value]);
      if (in.back()->kind == Traced::Kind::Failed) return;
      types.push_back(type_of(types_, value));
    }
    LoweringCall call(result_, options_, node, std::move(in), std::move(types),
                      types_[index(id)][0]);
    Result<Traced> traced = lower(call);
    if (traced)
      traced_[{id}] = std::move(traced).value();
    else
      report(cat(node.name, " (", node.op, "): ", traced.error().what), traced.error().hint);
  }

  Result<Traced> lower(LoweringCall& call) {
    const OpDef& op = op_of(call.node());
    for (const LoweringDef& def : all_lowerings())
      if (def.takes(call.node(), op)) {
        if (!def.checks_rows) CH_CHECK(check_rows(call, op));
        return def.lower(call);
      }
    return Error{.what = "the op has no integer form"};
  }

  /// Circuits take one sample at a time.
  Status check_rows(const LoweringCall& call, const OpDef& op) const {
    std::vector<TensorType> in;
    std::vector<bool> by_row;
    for (std::size_t i = 0; i < call.operands(); ++i) {
      in.push_back(call.type(i));
      by_row.push_back(call.in(i).kind != Traced::Kind::Constant);
    }
    if (std::find(by_row.begin(), by_row.end(), true) == by_row.end()) return {};
    const std::vector<TensorType> out = {call.result_type()};
    const ops::RowsCall rows{{{{op, call.node().attrs}, in}, out}, by_row};
    if (works_by_row(rows)) return {};
    return Error{.what = "it does not work sample by sample"};
  }

  void visit_output(Value value) {
    const Traced& traced = traced_[value];
    if (traced.kind == Traced::Kind::Integer && traced.pending.empty()) {
      result_.outputs.push_back(traced.node);
      return;
    }
    if (traced.kind == Traced::Kind::Failed) return;
    report(cat("output (", graph_.node(value.node).name, "): the result is a real number",
               traced.pending.empty() ? "" : cat(", made by ", traced.pending.back().what)),
           "give the result a fixed-point format, or all operands of the last layer");
  }

  void report(std::string problem, const std::string& hint) {
    problems_.push_back(std::move(problem));
    if (!hint.empty() && std::find(hints_.begin(), hints_.end(), hint) == hints_.end())
      hints_.push_back(hint);
  }

  Error error() {
    Error error{
        .what = cat("the network has no integer form: ", problems_.size(),
                    problems_.size() == 1 ? " node" : " nodes", " cannot be turned into one"),
        .hint = join(hints_, "; ")};
    for (std::size_t i = 0; i < problems_.size() && i < kMostListed; ++i)
      error.notes.push_back(problems_[i]);
    if (problems_.size() > kMostListed)
      error.notes.push_back(cat("and ", problems_.size() - kMostListed, " more"));
    return error;
  }

  Graph graph_;
  ToIntegerOptions options_;
  Types types_;
  IntegerGraph result_;
  std::map<Value, Traced> traced_;
  std::vector<std::string> problems_;
  std::vector<std::string> hints_;
};

}  // namespace

Result<IntegerGraph> to_integer(const Graph& graph, const ToIntegerOptions& options) {
  return IntegerLowering(graph, options).run();
}

Result<std::vector<Codes>> encode_rows(const IntegerGraph& graph, std::size_t input,
                                       const Tensor& rows) {
  const IntegerInput& from = graph.inputs[input];
  const IntegerType& type = graph.nodes[from.node].type;
  CH_TRY(const Tensor values, quantise(from.format, rows));
  const std::span<const float> all = values.data<float>();
  std::vector<Codes> codes;
  for (std::size_t first = 0; first + type.size() <= all.size(); first += type.size()) {
    Codes row;
    for (const float value : all.subspan(first, type.size())) {
      if (!std::isfinite(value))
        return Error{.what = cat("a sample of '", from.placeholder, "' is not finite")};
      row.push_back(from.step == 1 ? code_of(double{value}, type.frac)
                                   : std::llround(double{value} / from.step));
    }
    codes.push_back(std::move(row));
  }
  return codes;
}

}  // namespace chop::hardware

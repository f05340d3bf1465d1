// Everything the toolkit knows about one operator, in one struct.
//
// An OpDef is the only place that may know an operator by name. Shape inference, execution,
// differentiation, costing, import and reports all ask the OpDef; none of them switches on
// the operator's name. If something new must be known about operators, it becomes a field.
//
// Operands of a call are its data inputs followed by the parameters that are present, in
// the order `params` lists them: linear(x, weight, bias). In a module node the parameters
// are implied by the target; the lowered form (compile/lower.hpp) spells them out.
#pragma once

#include "ir/graph.hpp"

namespace chop::ops {

class GradBuilder;
struct OpDef;

/// The reference system's classification of ops, plus one for nodes only gradients use.
enum class MaseType : std::uint8_t {
  Module,
  ModuleRelatedFunc,
  BuiltinFunc,
  ImplicitFunc,
  Gradient
};
std::string_view name_of(MaseType type);

/// One call as its op sees it: attributes by name, defaults filled in.
struct Call {
  const OpDef& op;
  const Attrs& attrs;

  const Attr& attr(std::string_view name) const;
  bool flag(std::string_view name) const { return std::get<bool>(attr(name)); }
  std::int64_t integer(std::string_view name) const { return std::get<std::int64_t>(attr(name)); }
  double real(std::string_view name) const { return std::get<double>(attr(name)); }
  const std::string& text(std::string_view name) const { return std::get<std::string>(attr(name)); }
  const Ints& ints(std::string_view name) const { return std::get<Ints>(attr(name)); }
  /// A list attribute with `count` entries; a single entry stands for all ("kernel_size = 3").
  Ints ints(std::string_view name, std::size_t count) const;
};

/// A call with the types of its operands.
struct TypedCall : Call {
  std::span<const TensorType> in;

  const Shape& shape(std::size_t position) const { return in[position].shape; }
  /// Position of a parameter among the operands, or -1 when this call has none.
  std::int64_t find(std::string_view param) const;
};

struct CostCall : TypedCall {
  std::span<const TensorType> out;
};

/// A call on a batch. Operands marked in `by_row` have a row (dimension 0) for each item of the
/// batch; the others are the same for all items.
struct RowsCall : CostCall {
  std::vector<bool> by_row;
};

/// Seed and step: all a random op (dropout) may depend on besides its own name.
struct RunState {
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
};

/// Reference execution: real tensors are f64, index tensors i64; outputs are allocated.
struct ForwardCall : Call {
  std::string_view node_name;
  RunState state;
  std::span<const Tensor* const> in;
  std::span<Tensor> out;
  std::span<const TensorType> out_types = {};  ///< as inferred: what `out` stands for

  std::int64_t find(std::string_view param) const;
  std::span<const double> x(std::size_t position) const { return in[position]->data<double>(); }
  std::span<const std::int64_t> indices(std::size_t position) const {
    return in[position]->data<std::int64_t>();
  }
  std::span<double> y(std::size_t position = 0) const {
    return out[position].mutable_data<double>();
  }
  /// Calls f(T{}) with the type of operand `position`'s elements: double, or std::int64_t for
  /// whole numbers and truth values.
  template <class F>
  void with_type(std::size_t position, F&& f) const {
    if (in[position]->dtype() == DType::F64)
      f(double{});
    else
      f(std::int64_t{});
  }
};

/// How a parameter starts. Uniform: within ±scale. Normal: standard deviation `scale`.
enum class InitKind : std::uint8_t { Zeros, Ones, Uniform, Normal };
struct Init {
  InitKind kind = InitKind::Zeros;
  double (*scale)(const Call&) = nullptr;
  void (*finish)(const Call&, Tensor&) = nullptr;  ///< last touch to the drawn f32 values
};

/// What an op does with a parameter, as far as analyses count it.
enum class ParamRole : std::uint8_t {
  Other,
  Weight,  ///< multiplied with the input, and summed
  Bias,    ///< added to those sums, one addition per element of the result
  Mask     ///< 1 for each weight that there is, 0 for the others, whose values are 0
};

struct ParamDef {
  std::string_view name;
  Shape (*shape)(const Call&);
  Init init = {};
  bool trainable = true;
  /// The attribute that must hold, or be more than 0, for it to exist.
  std::string_view when = {};
  ParamRole role = ParamRole::Other;
};

/// y = value(x) elementwise, with dy/dx given x and y (whichever is handier).
struct Unary {
  double (*value)(double x, const Call&) = nullptr;
  double (*slope)(double x, double y, const Call&) = nullptr;
  bool from_output = false;  ///< the slope reads y alone, so x need not be kept
  /// The same on whole numbers; null: it takes real numbers only.
  std::int64_t (*whole)(std::int64_t x, const Call&) = nullptr;
};

/// y = value(a, b) elementwise over operands that broadcast, with dy/da and dy/db.
struct Binary {
  double (*value)(double a, double b) = nullptr;
  /// The same on whole numbers; null: it takes real numbers only.
  std::int64_t (*whole)(std::int64_t a, std::int64_t b) = nullptr;
  double (*slope_a)(double a, double b, double y) = nullptr;
  double (*slope_b)(double a, double b, double y) = nullptr;
};

/// Arithmetic of one call. `lab` counts one operation per multiply-accumulate and no bias,
/// as the reference system does; `exact` counts multiplications and additions apart.
struct Cost {
  std::int64_t macs = 0;
  std::int64_t lab = 0;
  std::int64_t exact = 0;
  std::int64_t backward = 0;  ///< of the gradient, in the `lab` convention
};

struct OnnxAttr {
  std::string_view onnx;  ///< as ONNX calls it
  std::string_view ours;
};

/// An ONNX operator that means this op. Where inputs and results correspond one to one and
/// attributes differ in name alone, this is all that import and export need to know; the rest
/// have a file in onnx/defs.
struct OnnxName {
  std::string_view op_type;
  int since_version;
  std::vector<OnnxAttr> attrs = {};
};

/// Output `output` of a training call replaces the buffer `param` after the step.
struct StateUpdate {
  std::uint32_t output;
  std::string_view param;
};

enum class Trait : unsigned {
  None = 0,
  Elementwise = 1U << 0,  ///< out[i] depends on in[i] only
  Commutative = 1U << 1,  ///< operand order is irrelevant
  View = 1U << 2,         ///< output 0 has the bytes of input 0 under another shape
  NoGradient = 1U << 3,   ///< differentiable nowhere: its inputs get no gradient
  Random = 1U << 4,       ///< depends on RunState when training
  Surrogate = 1U << 5,    ///< its gradient is a rule for training, not the derivative
  /// Evaluated, it multiplies and adds per channel what its running statistics, weight and bias
  /// give: y[:, c] = (x[:, c] - running_mean[c]) · weight[c] / √(running_var[c] + eps) + bias[c].
  ChannelAffine = 1U << 6,
  TrainingMode = 1U << 7,  ///< has the attribute `training`, which lowering for training sets
  /// Has the attribute `relu`: the call does max(y, 0) as well. A gradient with it is that of such
  /// a call and takes y as one more operand, its last.
  TakesRelu = 1U << 8,
  Rectifier = 1U << 9,  ///< y = max(x, 0): what a call with `relu` does
  /// Its operands count for the average bits of a network where nobody says which do.
  CountsBits = 1U << 10,
};

/// The attributes that come with traits.
inline constexpr const char* kTrainingAttr = "training";  ///< Trait::TrainingMode
inline constexpr const char* kReluAttr = "relu";          ///< Trait::TakesRelu
inline constexpr const char* kReluOp = "relu";            ///< what a call with it does as well
constexpr Trait operator|(Trait a, Trait b) {
  return Trait(unsigned(a) | unsigned(b));
}
constexpr bool has(Trait set, Trait one) {
  return (unsigned(set) & unsigned(one)) != 0;
}

struct SampleInput {
  Shape shape;
  double low = -3.0;
  double high = 3.0;
  std::vector<double> avoid = {};  ///< values where the derivative jumps; kept 0.05 away
  DType dtype = DType::F32;        ///< not floating: whole numbers in [low, high)
  bool distinct = false;           ///< all elements at least 0.01 apart (max pooling)
};

/// A point the conformance suite evaluates: attributes and inputs. Parameters are drawn
/// within ±1 (buffers named *_var within [0.5, 1.5]).
struct Sample {
  Attrs attrs = {};
  std::vector<SampleInput> inputs;
};

/// An operand that may carry a number format. What configurations call `weight` is the second
/// input of an op that has no such parameter (matmul).
struct Quantisable {
  constexpr Quantisable(const char* name, bool needed = true, bool negative = true)
      : operand(name), required(needed), is_signed(negative) {}

  std::string_view operand;  ///< "data_in", "weight", "bias"
  bool required;             ///< false: stays float unless the configuration names it
  bool is_signed;            ///< false: negative values do not matter, so the sign bit is free
};

/// An operand that holds indices, and the size of the dimension they index: one size for all of
/// them, or one for each entry of the indices' last dimension.
struct IndexOperand {
  std::size_t operand = 0;
  Shape sizes;
  bool from_end = true;  ///< whether a negative index counts from the end
};

constexpr std::size_t kVariadic = 1000;

struct OpDef {
  std::string_view name;
  std::string_view doc;  ///< formula first, then prose
  MaseType mase_type = MaseType::ModuleRelatedFunc;
  std::string_view module = {};  ///< torch.nn class: "Linear"
  /// torch function: "torch.nn.functional.linear"; "": the one that `torch` starts by calling.
  std::string_view function = {};
  std::string_view method = {};  ///< tensor method: "view"
  /// The call in PyTorch, over x (or x0, x1 ...), parameter and attribute names; `xs` is the
  /// list of inputs. "" when PyTorch has no such op; the oracle test then skips it.
  std::string_view torch = {};
  /// The arguments of the function as torch.fx records them (ops/core/fx_text.hpp has the grammar);
  /// "": the inputs, then the attributes that are set, in the order of `attrs`.
  std::string_view fx = {};
  std::size_t min_inputs = 1;
  std::size_t max_inputs = 0;     ///< fewer than min_inputs: the registry makes it as many
  std::size_t dims = 0;           ///< of the images [n, c, ...] it takes, n and c not counted
  std::vector<Field> attrs = {};  ///< each with a default, which shows its kind
  /// Name of a text attribute that names another op whose attributes are taken as well.
  std::string_view attrs_of = {};
  std::vector<ParamDef> params = {};
  Trait traits = Trait::None;
  Unary unary = {};
  Binary binary = {};
  std::vector<StateUpdate> updates = {};  ///< when the attribute `training` is set
  /// The dimension of the result that the rows of `weight` make (and `bias` is added along);
  /// 0: it has no such weight.
  int weight_axis = 0;

  Result<std::vector<TensorType>> (*infer)(const TypedCall&) = nullptr;
  void (*forward)(const ForwardCall&) = nullptr;
  /// Builds dL/d(operand) as nodes; operands it does not set get no gradient.
  void (*gradient)(GradBuilder&) = nullptr;
  Cost (*cost)(const CostCall&) = nullptr;
  /// Whether row i of result 0 depends on row i of the operands by row and on the whole of the
  /// others alone, and not on how many rows there are (ops/core/rows.hpp); null: no.
  bool (*rows_apart)(const RowsCall&) = nullptr;

  /// The operand with indices, which must be inside: every run checks them before the call. Null:
  /// none.
  IndexOperand (*indices)(const TypedCall&) = nullptr;

  std::vector<Quantisable> quantisable = {};
  std::vector<OnnxName> onnx = {};
  /// The arguments in the module's Python repr: "in_features=16, out_features=5, bias=True".
  std::string (*repr)(const Call&) = nullptr;
  std::vector<Sample> samples = {};
  Attrs defaults = {};  ///< of `attrs`; filled in by the registry
};

}  // namespace chop::ops

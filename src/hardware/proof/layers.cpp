#include "hardware/proof/layers.hpp"

#include "hardware/integer/op_def.hpp"
#include "hardware/netlist/from_integer.hpp"
#include "hardware/proof/equivalence.hpp"
#include "hardware/proof/netlist_aig.hpp"
#include "hardware/proof/read_codes.hpp"

namespace chop::hardware {
namespace {

/// Runs all codes of the elements of an op whose element i depends on the elements i of its inputs
/// alone; 64 patterns of bits at once.
class AllCodes {
 public:
  AllCodes(const IntegerCall& call, Netlist module) : call_(call), netlist_(std::move(module)) {
    AigBuilder made(input_bits(netlist_).size());
    for (const Literal bit : build_aig(netlist_, made, inputs_in_range(netlist_, made)))
      made.output(bit);
    aig_ = std::move(made).finish();
    for (std::size_t i = 0; i < call_.size(); ++i) {
      int bits = 0;
      for (const IntegerType* in : call_.in) bits += width_of(in->ranges[i]);
      bits_.push_back(bits);
    }
  }

  bool is_cheap() const {
    std::int64_t sum = 0;
    for (const int bits : bits_) sum += bits <= kMostBits ? std::int64_t{1} << bits : kMostCodes;
    return sum <= kMostCodes;
  }

  /// How many codes there were.
  Result<std::int64_t> run() {
    const int most = *std::max_element(bits_.begin(), bits_.end());
    for (std::int64_t first = 0; first < std::int64_t{1} << most; first += kLanes)
      CH_CHECK(block(first));
    return codes_;
  }

 private:
  struct Lane {
    std::vector<Codes> in;
    std::vector<bool> counts;  ///< elements for which the pattern is a sample
  };

  /// The codes of a pattern of bits, those of the first input lowest; the nearest codes there are.
  Lane lane(std::int64_t pattern) const {
    Lane made{.in = std::vector<Codes>(call_.in.size(), Codes(call_.size())),
              .counts = std::vector<bool>(call_.size())};
    for (std::size_t i = 0; i < call_.size(); ++i) {
      bool counts = pattern < std::int64_t{1} << bits_[i];
      int low = 0;
      for (std::size_t k = 0; k < call_.in.size(); ++k) {
        const Interval& range = call_.in[k]->ranges[i];
        const std::int64_t code = code_of_bits(range, static_cast<std::uint64_t>(pattern) >> low);
        counts = counts && range.holds(code);
        made.in[k][i] = std::clamp(code, range.low, range.high);
        low += width_of(range);
      }
      made.counts[i] = counts;
    }
    return made;
  }

  Status block(std::int64_t first) {
    const std::vector<std::uint64_t> made = evaluate(aig_, patterns(first));
    Codes wanted(call_.size());
    for (int l = 0; l < kLanes; ++l) {
      const Lane given = lane(first + l);
      std::vector<const Codes*> in;
      for (const Codes& codes : given.in) in.push_back(&codes);
      find_integer_op(call_.node.op)->evaluate(call_, in, wanted);
      std::size_t next = 0;
      for (std::size_t i = 0; i < call_.size(); ++i) {
        const int width = width_of(netlist_.top().range(netlist_.top().outputs[i].wire));
        bool same = true;
        for (int b = 0; b < width; ++b)
          same &= (made[next++] >> l & 1U) == (static_cast<std::uint64_t>(wanted[i] >> b) & 1U);
        if (!given.counts[i]) continue;
        ++codes_;
        if (!same)
          return Error{.what = cat("element ", i, " of module ", netlist_.top().name, " is not ",
                                   wanted[i], " where its ", call_.node.op, " is")};
      }
    }
    return {};
  }

  /// Bit by bit of every port, what 64 patterns from `first` on have.
  std::vector<std::uint64_t> patterns(std::int64_t first) const {
    std::vector<std::uint64_t> bits;
    std::vector<std::size_t> low(call_.size());
    for (const IntegerType* in : call_.in)
      for (std::size_t i = 0; i < call_.size(); ++i)
        for (int b = width_of(in->ranges[i]); b > 0; --b, ++low[i])
          bits.push_back(pattern_bits(static_cast<std::uint64_t>(first), low[i]));
    return bits;
  }

  const IntegerCall& call_;
  Netlist netlist_;
  Aig aig_;
  std::vector<int> bits_;  ///< by element
  std::int64_t codes_ = 0;
};

/// How many codes were run; 0 where there are too many.
template <class Codes>
Result<std::int64_t> run_if_cheap(Codes codes) {
  if (!codes.is_cheap()) return 0;
  return codes.run();
}

/// A netlist whose top is that module.
Netlist up_to(const Netlist& netlist, std::size_t module) {
  Netlist own;
  own.modules.assign(netlist.modules.begin(),
                     netlist.modules.begin() + static_cast<std::ptrdiff_t>(module) + 1);
  return own;
}

/// What the op says of its results, where the module made them, for all inputs.
Result<LayerMethod> prove_property(const IntegerCall& call, const IntegerOpDef& op,
                                   const Netlist& netlist, const std::filesystem::path& folder) {
  AigBuilder made(input_bits(netlist).size());
  const std::vector<BitWord> in = input_words(netlist, inputs_in_range(netlist, made));
  const std::vector<BitWord> out = build_words(netlist, made, in);
  for (const Literal holds : op.holds(call, made, in, out)) made.output(holds ^ 1U);
  const std::string& name = netlist.top().name;
  CH_TRY(const Comparison compared, prove_zero(std::move(made).finish(), name, folder));
  if (compared.verdict == Verdict::Differs)
    return Error{.what = cat("module ", name, " is not what its ", op.name, " says")};
  return compared.verdict == Verdict::Proven ? LayerMethod::Property : LayerMethod::Simulated;
}

Result<LayerProof> prove_layer(const IntegerGraph& graph, std::size_t node, const Netlist& netlist,
                               std::size_t module, const std::filesystem::path& folder) {
  const IntegerCall call = call_of(graph, graph.nodes[node]);
  const IntegerOpDef& op = *find_integer_op(call.node.op);
  LayerProof proof{.node = node};
  if (op.prove != nullptr) {
    CH_CHECK(op.prove(call, netlist, module));
    proof.method = LayerMethod::Coefficients;
    return proof;
  }
  const Netlist own = up_to(netlist, module);
  if (op.runs == nullptr && op.reads == nullptr) {
    if (op.holds != nullptr && !folder.empty()) {
      CH_TRY(proof.method, prove_property(call, op, own, folder));
    }
    return proof;
  }
  CH_TRY(const std::int64_t codes, op.runs != nullptr ? run_if_cheap(AllCodes(call, own))
                                                      : run_if_cheap(ReadCodes(call, op, own)));
  if (codes == 0) return proof;
  proof.codes = codes;
  proof.method = LayerMethod::AllCodes;
  return proof;
}

}  // namespace

std::string_view name_of(LayerMethod method) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "wires", "coefficients", "codes", "property", "unused", "simulated"};
  return kNames[static_cast<std::size_t>(method)];
}

Result<std::vector<LayerProof>> prove_layers(const IntegerGraph& graph, const Netlist& netlist,
                                             const std::filesystem::path& folder) {
  CH_CHECK(verify(netlist));
  std::map<std::string, std::size_t> modules;
  for (std::size_t i = 0; i < netlist.modules.size(); ++i) modules[netlist.modules[i].name] = i;
  const std::vector<std::string> names = module_names(graph);
  std::vector<LayerProof> proofs;
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    const IntegerOpDef& op = *find_integer_op(graph.nodes[node].op);
    if (op.wires != nullptr) {
      proofs.push_back({.node = node, .method = LayerMethod::Wires});
    } else if (!names[node].empty()) {
      const auto module = modules.find(names[node]);
      if (module == modules.end()) {
        proofs.push_back({.node = node, .method = LayerMethod::Unused});
        continue;
      }
      CH_TRY(const LayerProof proof, prove_layer(graph, node, netlist, module->second, folder));
      proofs.push_back(proof);
    }
  }
  return proofs;
}

}  // namespace chop::hardware

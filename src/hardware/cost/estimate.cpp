#include "hardware/cost/estimate.hpp"

#include "support/text.hpp"

namespace chop::hardware {
namespace {

/// LUTs for each of the parts, in their order; the last, carries, are counted apart.
constexpr std::array<double, CostParts::kCount> kFactors = {0.91, 0.84, 0.05, 0.82,
                                                            1.52, 1.06, 1.34, 0};
constexpr EstimateError kError = {.designs = 55, .median = 2.5, .worst = 20.7};

double luts_of(const CostParts& parts) {
  const auto list = parts.list();
  double luts = 0;
  for (std::size_t i = 0; i < list.size(); ++i) luts += kFactors[i] * list[i];
  return luts;
}

/// Follows what is needed from the outputs back to the inputs, through instances: a synthesiser
/// removes what no output depends on.
class Estimator {
 public:
  explicit Estimator(const Netlist& netlist) : netlist_(netlist) {
    for (const Module& module : netlist.modules) result_.modules.push_back({.name = module.name});
  }

  Estimate run() {
    const std::vector<bool> all(netlist_.top().outputs.size(), true);
    count(netlist_.modules.size() - 1, all, 1);
    double luts = 0;
    for (const ModuleEstimate& module : result_.modules) {
      luts += module.luts;
      result_.registers += module.registers;
    }
    result_.luts = std::llround(luts);
    result_.carries = std::llround(result_.parts.carries);
    result_.latency = netlist_.top().latency;
    result_.adder_depth = count_cells(netlist_).adder_depth;
    return std::move(result_);
  }

 private:
  /// What a module is when these outputs are read.
  struct Own {
    std::vector<bool> live = {};    ///< by cell
    std::vector<bool> inputs = {};  ///< that are read
    CostParts parts = {};
    std::int64_t registers = 0;
  };

  /// Adds the module, `uses` times, and what is in it.
  void count(std::size_t index, const std::vector<bool>& needed, std::int64_t uses) {
    const Own& own = own_of(index, needed);
    const auto times = static_cast<double>(uses);
    result_.parts.add(own.parts, times);
    ModuleEstimate& made = result_.modules[index];
    made.uses += uses;
    made.luts += times * luts_of(own.parts);
    made.carries += uses * std::llround(own.parts.carries);
    made.registers += uses * own.registers;
    const Module& module = netlist_.modules[index];
    for (std::size_t i = 0; i < module.instances.size(); ++i)
      count(module.instances[i].module, ports_of(module, i, own.live), uses);
  }

  /// Which outputs of an instance are read.
  std::vector<bool> ports_of(const Module& module, std::size_t instance,
                             const std::vector<bool>& live) const {
    std::vector<bool> ports(netlist_.modules[module.instances[instance].module].outputs.size());
    for (WireId i = 0; i < module.cells.size(); ++i)
      if (live[i] && module.cells[i].kind == CellKind::Result &&
          module.cells[i].amount == static_cast<std::int64_t>(instance))
        ports[static_cast<std::size_t>(module.cells[i].port)] = true;
    return ports;
  }

  const Own& own_of(std::size_t index, const std::vector<bool>& needed) {
    const auto key = std::make_pair(index, needed);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const Module& module = netlist_.modules[index];
    Own own{.live = std::vector<bool>(module.cells.size())};
    for (std::size_t o = 0; o < module.outputs.size(); ++o)
      if (needed[o]) own.live[module.outputs[o].wire] = true;
    follow(module, own.live);
    for (const WireId wire : module.inputs()) own.inputs.push_back(own.live[wire]);
    own.parts = parts_of(module, own.live);
    for (WireId i = 0; i < module.cells.size(); ++i)
      if (own.live[i] && module.cells[i].kind == CellKind::Register)
        own.registers += width_of(module.range(i));
    return known_.emplace(key, std::move(own)).first->second;
  }

  /// From what is read to what it is made of; the results of an instance follow its inputs.
  void follow(const Module& module, std::vector<bool>& live) {
    for (std::size_t i = module.cells.size(); i-- > 0;) {
      const NetlistCell& cell = module.cells[i];
      if (cell.kind == CellKind::Result) {
        const bool is_first = i == 0 || module.cells[i - 1].kind != CellKind::Result ||
                              module.cells[i - 1].amount != cell.amount;
        if (!is_first) continue;
        const auto number = static_cast<std::size_t>(cell.amount);
        const Instance& instance = module.instances[number];
        const Own& inner = own_of(instance.module, ports_of(module, number, live));
        for (std::size_t p = 0; p < instance.in.size(); ++p)
          if (inner.inputs[p]) live[instance.in[p]] = true;
      } else if (live[i]) {
        for (const WireId wire : cell.in) live[wire] = true;
      }
    }
  }

  const Netlist& netlist_;
  Estimate result_;
  std::map<std::pair<std::size_t, std::vector<bool>>, Own> known_;
};

}  // namespace

Estimate estimate(const Netlist& netlist) {
  return Estimator(netlist).run();
}

EstimateError estimate_error() {
  return kError;
}

std::string error_text() {
  return cat("LUTs within ", python_repr(kError.median), " % of Yosys (median of ", kError.designs,
             " designs, at worst ", python_repr(kError.worst), " %)");
}

}  // namespace chop::hardware

// The symbolic proof that a circuit of adders is a matrix: coefficients are followed cell by cell.
#include "hardware/adders/adder_graph.hpp"

namespace chop::hardware {
namespace {

void accumulate(LinearForm& to, const LinearForm& from, std::int64_t factor) {
  for (const auto& [input, coefficient] : from.coefficients) {
    std::int64_t& sum = to.coefficients[input];
    sum += factor * coefficient;
    if (sum == 0) to.coefficients.erase(input);
  }
  to.constant += factor * from.constant;
}

bool is_small(const LinearForm& form) {
  for (const auto& [input, coefficient] : form.coefficients)
    if (!Interval{-kMost, kMost}.holds(coefficient)) return false;
  return Interval{-kMost, kMost}.holds(form.constant);
}

class Following {
 public:
  Following(const Netlist& netlist, std::size_t module)
      : netlist_(netlist), module_(netlist.modules[module]) {}

  Result<std::vector<LinearForm>> run() {
    for (const NetlistCell& cell : module_.cells) {
      CH_TRY(LinearForm form, form_of(cell));
      if (!is_small(form))
        return Error{.what = cat("a coefficient of wire '", cell.name, "' exceeds 61 bits")};
      forms_.push_back(std::move(form));
    }
    std::vector<LinearForm> outputs;
    for (const Output& output : module_.outputs) outputs.push_back(forms_[output.wire]);
    return outputs;
  }

 private:
  Result<LinearForm> form_of(const NetlistCell& cell) {
    LinearForm form;
    if (cell.kind == CellKind::Input) {
      // An input of one value only is a constant, wherever it was used as one.
      if (cell.range.is_constant())
        form.constant = cell.range.low;
      else
        form.coefficients[inputs_] = 1;
      ++inputs_;
      return form;
    }
    if (cell.kind == CellKind::Result) return result_form(cell);
    if (cell.kind == CellKind::Constant) form.constant = cell.amount;
    CH_TRY(const auto factors, factors_of(cell));
    for (std::size_t i = 0; i < cell.in.size(); ++i)
      accumulate(form, forms_[cell.in[i]], factors[i]);
    return form;
  }

  static Result<std::array<std::int64_t, 2>> factors_of(const NetlistCell& cell) {
    using Factors = std::array<std::int64_t, 2>;
    switch (cell.kind) {
      case CellKind::Constant:
        return Factors{0, 0};
      case CellKind::Add:
        return Factors{1, 1};
      case CellKind::Sub:
        return Factors{1, -1};
      case CellKind::Register:
        return Factors{1, 0};
      case CellKind::Scale:
        return Factors{cell.amount, 0};
      case CellKind::Shift:
        if (cell.amount >= 0 && cell.amount < 61) return Factors{std::int64_t{1} << cell.amount, 0};
        break;
      default:
        break;
    }
    return Error{.what = cat("wire '", cell.name, "' is a ", def_of(cell.kind).name,
                             ", which is not linear")};
  }

  Result<LinearForm> result_form(const NetlistCell& cell) {
    const Instance& instance = module_.instances[static_cast<std::size_t>(cell.amount)];
    auto known = inner_.find(instance.module);
    if (known == inner_.end()) {
      CH_TRY(std::vector<LinearForm> made, linear_forms(netlist_, instance.module));
      known = inner_.emplace(instance.module, std::move(made)).first;
    }
    const LinearForm& inner = known->second[static_cast<std::size_t>(cell.port)];
    LinearForm form{.constant = inner.constant};
    for (const auto& [input, coefficient] : inner.coefficients)
      accumulate(form, forms_[instance.in[input]], coefficient);
    return form;
  }

  const Netlist& netlist_;
  const Module& module_;
  std::size_t inputs_ = 0;
  std::vector<LinearForm> forms_;  ///< by wire
  std::map<std::size_t, std::vector<LinearForm>> inner_;
};

}  // namespace

Result<std::vector<LinearForm>> linear_forms(const Netlist& netlist, std::size_t module) {
  return Following(netlist, module).run();
}

Status prove_linear(const Netlist& netlist, std::size_t module,
                    std::span<const LinearForm> wanted) {
  CH_TRY(const std::vector<LinearForm> forms, linear_forms(netlist, module));
  const Module& proven = netlist.modules[module];
  if (forms.size() != wanted.size())
    return Error{.what = cat("module ", proven.name, " has ", forms.size(), " outputs, its matrix ",
                             wanted.size(), " rows")};
  for (std::size_t row = 0; row < wanted.size(); ++row)
    if (!(forms[row] == wanted[row]))
      return Error{.what = cat("output '", proven.outputs[row].name, "' of module ", proven.name,
                               " is not row ", row, " of its matrix")};
  return {};
}

}  // namespace chop::hardware

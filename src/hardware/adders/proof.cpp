// The symbolic proof that a circuit of adders is a matrix: coefficients are followed cell by cell.
// Parts that are cut out of a number x stand for themselves: floor(x / 2^k) is a variable h, and
// the bits below are x - 2^k h, so that what was cut apart is x again where it is put together. A
// table is linear where all of its entries that can be read are; they are looked at one by one.
#include "hardware/adders/adder_graph.hpp"
#include "hardware/netlist/table_line.hpp"

namespace chop::hardware {
namespace {

constexpr std::size_t kFirstPart = std::size_t{1} << 40U;  ///< no module has so many inputs

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
    if (cell.kind == CellKind::Slice) return slice_form(cell);
    if (cell.kind == CellKind::Shift && cell.amount < 0)
      return high_part(forms_[cell.in[0]], static_cast<int>(-cell.amount));
    if (cell.kind == CellKind::Table) return table_form(cell);
    if (cell.kind == CellKind::Concat) return concat_form(cell);
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

  /// floor(x / 2^bits) of an x of this form.
  LinearForm high_part(const LinearForm& x, int bits) {
    if (bits == 0) return x;
    const auto key = std::make_tuple(x.coefficients, x.constant, bits);
    const auto [known, is_new] = parts_.emplace(key, kFirstPart + parts_.size());
    return LinearForm{.coefficients = {{known->second, 1}}};
  }

  /// x mod 2^(low + width), without its lowest bits.
  Result<LinearForm> slice_form(const NetlistCell& cell) {
    const LinearForm& x = forms_[cell.in[0]];
    const int low = static_cast<int>(cell.amount);
    const int width = width_of(cell.range);
    LinearForm form = high_part(x, low);
    accumulate(form, high_part(x, low + width), -(std::int64_t{1} << width));
    return form;
  }

  Result<LinearForm> concat_form(const NetlistCell& cell) const {
    LinearForm form;
    accumulate(form, forms_[cell.in[0]], std::int64_t{1} << cell.amount);
    accumulate(form, forms_[cell.in[1]], 1);
    return form;
  }

  Result<LinearForm> table_form(const NetlistCell& cell) const {
    const std::optional<TableLine> line = table_line(module_, cell);
    if (!line) return Error{.what = cat("wire '", cell.name, "' is a table, which is not linear")};
    LinearForm form{.constant = line->constant};
    for (std::size_t i = 0; i < line->roots.size(); ++i)
      accumulate(form, forms_[line->roots[i]], line->factors[i]);
    return form;
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
  /// Numbers of the variables that stand for high parts, by what they are parts of.
  std::map<std::tuple<std::map<std::size_t, std::int64_t>, std::int64_t, int>, std::size_t> parts_;
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

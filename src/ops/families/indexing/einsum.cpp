#include "ops/families/indexing/einsum.hpp"

#include <cctype>

#include "ops/families/indexing/shapes.hpp"
#include "support/text.hpp"

namespace chop::ops {
namespace {

/// A letter, or -1, -2, ... for the dimensions that "..." stands for, counted from the right.
using Label = int;
using Labels = std::vector<Label>;

/// One side of a comma: letters, and where "..." stands among them.
struct Term {
  Labels letters;
  std::size_t dots_at = 0;
  bool has_dots = false;
};

Error refuse(const Call& call, std::string why, std::string hint = "") {
  return Error{.what = cat("einsum '", call.text("equation"), "' ", why), .hint = std::move(hint)};
}

Result<Term> read_term(const Call& call, std::string_view text) {
  Term term;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto letter = static_cast<unsigned char>(text[i]);
    if (std::isalpha(letter) != 0 && letter < 128) {
      term.letters.push_back(letter);
    } else if (text.substr(i).starts_with("...") && !term.has_dots) {
      term.has_dots = true;
      term.dots_at = term.letters.size();
      i += 2;
    } else {
      return refuse(call, cat("cannot be read at '", text.substr(i), "'"),
                    "use letters, one '...' for each operand, ',' and '->': \"bij,bjk->bik\"");
    }
  }
  return term;
}

/// The term's labels for a tensor with `dots` dimensions in place of "...".
Labels labels_of(const Term& term, std::size_t dots) {
  Labels labels = term.letters;
  for (std::size_t i = 0; i < dots; ++i)  // ends as ..., -2, -1
    labels.insert(labels.begin() + static_cast<std::ptrdiff_t>(term.dots_at + i),
                  -static_cast<Label>(dots - i));
  return labels;
}

/// Letters that occur once, in alphabetical order, behind what "..." stands for.
Labels implied_output(const std::vector<Labels>& operands, std::size_t dots) {
  std::map<Label, int> seen;
  for (const Labels& labels : operands)
    for (const Label label : labels) ++seen[label];
  Labels out;
  for (std::size_t i = dots; i > 0; --i) out.push_back(-static_cast<Label>(i));
  for (const auto& [label, times] : seen)
    if (label > 0 && times == 1) out.push_back(label);
  return out;
}

/// The size of each label; dimensions of size one stretch.
Result<std::map<Label, std::int64_t>> sizes_of(const Call& call, std::span<const Shape> shapes,
                                               const std::vector<Labels>& operands) {
  std::map<Label, std::int64_t> sizes;
  for (std::size_t k = 0; k < shapes.size(); ++k)
    for (std::size_t d = 0; d < shapes[k].size(); ++d) {
      std::int64_t& size = sizes.emplace(operands[k][d], 1).first->second;
      if (size != 1 && shapes[k][d] != 1 && size != shapes[k][d])
        return refuse(call, cat("gives one letter the sizes ", size, " and ", shapes[k][d]),
                      "dimensions with the same letter must be equal or 1");
      if (size == 1) size = shapes[k][d];
    }
  return sizes;
}

struct Equation {
  std::vector<Labels> operands;
  Labels out;
};

Result<Labels> read_output(const Call& call, std::string_view text, std::size_t dots,
                           const std::vector<Labels>& operands) {
  CH_TRY(const Term term, read_term(call, text));
  const Labels out = labels_of(term, term.has_dots ? dots : 0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool known = std::any_of(operands.begin(), operands.end(), [&](const Labels& labels) {
      return std::find(labels.begin(), labels.end(), out[i]) != labels.end();
    });
    if (!known || std::find(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(i), out[i]) !=
                      out.begin() + static_cast<std::ptrdiff_t>(i))
      return refuse(call, "has a result with a letter that no operand has, or has it twice");
  }
  return out;
}

Result<Equation> read_equation(const Call& call, std::span<const Shape> shapes) {
  std::string text;
  for (const char letter : call.text("equation"))
    if (letter != ' ') text += letter;
  const std::size_t arrow = text.find("->");
  const std::vector<std::string> parts = split(std::string_view(text).substr(0, arrow), ',');
  if (parts.size() != shapes.size())
    return refuse(call,
                  cat("is about ", counted(static_cast<std::int64_t>(parts.size()), "operand"),
                      ", got ", shapes.size()));
  Equation equation;
  std::size_t most_dots = 0;
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    CH_TRY(const Term term, read_term(call, parts[k]));
    const std::size_t letters = term.letters.size();
    if (shapes[k].size() < letters || (!term.has_dots && shapes[k].size() != letters))
      return refuse(call, cat("has ", counted(static_cast<std::int64_t>(letters), "letter"),
                              " for operand ", k, " of shape ", to_string(shapes[k])));
    const std::size_t dots = shapes[k].size() - letters;
    most_dots = std::max(most_dots, dots);
    equation.operands.push_back(labels_of(term, dots));
  }
  if (arrow == std::string::npos) {
    equation.out = implied_output(equation.operands, most_dots);
  } else {
    CH_TRY(equation.out, read_output(call, std::string_view(text).substr(arrow + 2), most_dots,
                                     equation.operands));
  }
  return equation;
}

/// How far each label moves in a tensor with these labels; twice when it is there twice.
std::vector<std::int64_t> steps_of(const Labels& labels, const Shape& shape, const Labels& order) {
  std::vector<std::int64_t> steps(order.size());
  for (std::size_t d = 0; d < labels.size(); ++d) {
    if (shape[d] == 1) continue;
    const auto at = std::find(order.begin(), order.end(), labels[d]) - order.begin();
    steps[static_cast<std::size_t>(at)] += product(shape, d + 1);
  }
  return steps;
}

}  // namespace

Result<EinsumPlan> plan_einsum(const Call& call, std::span<const Shape> operands) {
  CH_TRY(const Equation equation, read_equation(call, operands));
  CH_TRY(const auto sizes, sizes_of(call, operands, equation.operands));
  Labels order = equation.out;
  for (const auto& [label, size] : sizes)
    if (std::find(order.begin(), order.end(), label) == order.end()) order.push_back(label);
  EinsumPlan plan;
  for (const Label label : order) plan.sizes.push_back(sizes.at(label));
  plan.out.assign(plan.sizes.begin(),
                  plan.sizes.begin() + static_cast<std::ptrdiff_t>(equation.out.size()));
  CH_CHECK(check_size(call, plan.out));
  CH_CHECK(check_size(call, plan.sizes));
  for (std::size_t k = 0; k < operands.size(); ++k)
    plan.steps.push_back(steps_of(equation.operands[k], operands[k], order));
  plan.steps.push_back(steps_of(equation.out, plan.out, order));
  return plan;
}

}  // namespace chop::ops

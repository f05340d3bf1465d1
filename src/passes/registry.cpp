#include "passes/pass_def.hpp"
#include "support/text.hpp"

#include "passes.inc"

namespace chop::passes {

std::span<const PassDef> all_passes() {
  static const std::vector<PassDef> table = collected();
  return table;
}

Result<const PassDef*> find_pass(std::string_view name) {
  std::vector<std::string> names;
  for (const PassDef& pass : all_passes()) {
    if (pass.name == name) return &pass;
    names.emplace_back(pass.name);
  }
  return Error{.what = cat("unknown pass '", name, "'"),
               .hint = cat(did_you_mean(name, names), "`ch passes` lists all ", names.size())};
}

std::string drawn(const report::Table& table, report::TableStyle usual,
                  const PassContext& context) {
  return render(table, {.style = context.tables.value_or(usual)});
}

std::string_view name_of(Promise promise) {
  static constexpr std::array<std::string_view, 4> kNames = {"metadata only", "same bits", "close",
                                                             "new numbers"};
  return kNames.at(static_cast<std::size_t>(promise));
}

std::string_view explain(Promise promise) {
  static constexpr std::array<std::string_view, 4> kTexts = {
      "changes nothing but metadata", "changes the graph, but not a bit of its outputs",
      "changes outputs by rounding alone", "changes outputs: that is what it is for"};
  return kTexts.at(static_cast<std::size_t>(promise));
}

std::filesystem::path output_path(const PassContext& context, std::string_view name) {
  const std::filesystem::path path(name);
  return path.is_absolute() ? path : context.folder / path;
}

}  // namespace chop::passes

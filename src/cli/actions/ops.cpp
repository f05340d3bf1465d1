// ch ops [NAME]: every operator, or one with its attributes and parameters.
#include "ops/registry.hpp"

#include "cli/action_def.hpp"
#include "cli/output.hpp"
#include "support/text.hpp"

namespace chop::actions {
namespace {

Table all_table() {
  Table table{.columns = {{"Op", Align::Left, 0, "op"},
                          {"MASE type", Align::Left, 0, "mase_type"},
                          {"Module", Align::Left, 0, "module"},
                          {"What it computes", Align::Left, 80, "doc"}},
              .rows = {}};
  for (const OpDef& op : all_ops())
    table.rows.push_back({op.name, name_of(op.mase_type), op.module, op.doc});
  return table;
}

Table attribute_table(const OpDef& op) {
  Table table{.columns = {{"Name", Align::Left, 0, "name"},
                          {"Kind", Align::Left, 0, "kind"},
                          {"Default", Align::Left, 0, "default"},
                          {"Meaning", Align::Left, 70, "meaning"}},
              .rows = {}};
  for (const AttrDef& attr : op.attrs)
    if (!attr.internal)
      table.rows.push_back({attr.name, kind_of(attr.default_value),
                            attr.required ? std::string("required") : to_text(attr.default_value),
                            attr.doc});
  for (const ParamDef& param : op.params)
    table.rows.push_back(
        {param.name, param.trainable ? "parameter" : "buffer", "",
         param.when.empty() ? std::string("always there") : cat("when ", param.when, " is true")});
  return table;
}

Result<Exit> run(const Invocation& invocation) {
  const auto name = invocation.settings.text("name");
  if (!name) {
    CH_CHECK(print_table(invocation, all_table(), TableStyle::Simple));
    return Exit::Done;
  }
  CH_TRY(const OpDef* op, find_op(*name));
  if (prints_text(invocation)) invocation.out << op->name << ": " << op->doc << "\n";
  CH_CHECK(print_table(invocation, attribute_table(*op), TableStyle::Simple));
  return Exit::Done;
}

}  // namespace

ActionDef ops() {
  return {.name = "ops",
          .usage = "ch ops [NAME] [--json FILE]",
          .summary = "list the operators, or show one with its attributes",
          .positionals = {"name"},
          .settings = {"json"},
          .own = {{.dest = "name",
                   .flags = {},
                   .placeholder = "NAME",
                   .doc = "one operator; all when not given"}},
          .run = run};
}

}  // namespace chop::actions

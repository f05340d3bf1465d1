// ch ops [NAME]: every operator, or one with its attributes and parameters.
#include "ops/core/registry.hpp"

#include "cli/action_def.hpp"
#include "cli/output.hpp"
#include "onnx/onnx_def.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::ops {
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
  for (const Field& attr : op.attrs)
    if (!attr.internal)
      table.rows.push_back({attr.name, name_of(kind_of(attr)),
                            attr.required ? std::string("required")
                                          : to_text(op.defaults.at(std::string(attr.name))),
                            attr.doc});
  for (const ParamDef& param : op.params)
    table.rows.push_back(
        {param.name, param.trainable ? "parameter" : "buffer", "",
         param.when.empty() ? std::string("always there") : cat("when ", param.when, " is true")});
  return table;
}

Table onnx_table() {
  Table table{.columns = {{"ONNX operator", Align::Left, 0, "operator"}}, .rows = {}};
  for (const std::string& name : importable_operators()) table.rows.push_back({name});
  return table;
}

Result<Exit> run(const Invocation& invocation) {
  const auto print = [&](const Table& table) {
    return print_table(invocation, table, TableStyle::Simple);
  };
  if (invocation.settings.flag("onnx")) return print(onnx_table());
  const auto name = invocation.settings.text("name");
  if (!name) return print(all_table());
  CH_TRY(const OpDef* op, find_op(*name));
  if (prints_text(invocation)) invocation.out << op->name << ": " << op->doc << "\n";
  return print(attribute_table(*op));
}

}  // namespace

ActionDef define() {
  return {.name = "ops",
          .usage = "ch ops [NAME] [--onnx] [--json FILE]",
          .summary = "list the operators, or show one with its attributes",
          .positionals = {"name"},
          .settings = {"json", "quiet"},
          .own = {positional("name", "NAME", "one operator; all when not given",
                             registered_names<all_ops>),
                  flag("onnx", "list the operators of ONNX that can be imported instead")},
          .run = run};
}

}  // namespace chop::cli::actions::ops

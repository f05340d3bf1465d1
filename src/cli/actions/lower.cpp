// ch lower MODEL|FILE: the compiler at work: a network after any of its steps.
#include "cli/output.hpp"
#include "cli/session.hpp"
#include "compile/compile.hpp"
#include "ir/text/text.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::lower {
namespace {

Table step_table() {
  Table table{.columns = {{"Step", Align::Left, 0, "step"},
                          {"For", Align::Left, 0, "for"},
                          {"What it does", Align::Left, 90, "doc"}},
              .rows = {}};
  const compile::Target evaluation;
  const compile::Target frozen{.frozen = true};
  for (const compile::StepDef& step : compile::all_steps()) {
    const auto applies = [&](const compile::Target& target) {
      return step.applies == nullptr || step.applies(target);
    };
    const char* what = applies(evaluation) ? "all" : applies(frozen) ? "--frozen" : "--mode train";
    table.rows.push_back({std::string(step.name), what, std::string(step.doc)});
  }
  return table;
}

Table time_table(const compile::Trace& trace) {
  Table table{
      .columns = {{"Step", Align::Left, 0, "step"}, {"Time (us)", Align::Right, 0, "microseconds"}},
      .rows = {}};
  double sum = 0;
  for (const compile::StepTrace& step : trace.steps) {
    if (!step.applied) continue;
    table.rows.push_back({std::string(step.name), Cell(step.seconds * 1e6, 1)});
    sum += step.seconds;
  }
  table.rows.push_back({"all", Cell(sum * 1e6, 1)});
  return table;
}

std::string remarks_text(const compile::State& state) {
  std::string text;
  for (const compile::Remark& remark : state.remarks)
    text += cat(remark.step, ": ", remark.text, "\n");
  return text.empty() ? "no remarks\n" : text;
}

compile::Target target_of(const Settings& settings, const OpenedModel& model) {
  const Graph& graph = model.graph;
  const bool trains = settings.text("mode") == "train";
  // A batch norm cannot be trained on one row.
  const std::int64_t usual = trains ? 2 : 1;
  compile::Target target{.batch = batch_size(model, settings, usual),
                         .frozen = settings.flag("frozen"),
                         .verify = true};
  if (trains) {
    target.mode = Mode::Training;
    target.loss = true;
    for (const Parameter& parameter : graph.parameters())
      if (parameter.trainable) target.gradients.push_back(parameter.name);
  }
  for (const std::string& name : split(settings.text_or_empty("refuse"), ','))
    if (!name.empty()) target.refuse.insert(name);
  return target;
}

/// The nodes of --refuse exist, and there are chains to refuse.
Status check_refused(const compile::Target& target, const Graph& graph) {
  if (target.refuse.empty()) return {};
  if (!target.frozen)
    return Error{.what = "--refuse is about chains, and without --frozen there are none",
                 .hint = "add --frozen"};
  std::vector<std::string> names;
  for (const NodeId id : graph.order()) names.push_back(graph.node(id).name);
  for (const std::string& name : target.refuse)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return Error{.what = cat("--refuse: the network has no node '", name, "'"),
                   .hint = cat(did_you_mean(name, names),
                               "`ch lower MODEL --frozen --after chains` shows its nodes")};
  return {};
}

Tree tree_of(const compile::State& state, const compile::Trace& trace) {
  Tree result;
  result["mode"] = state.target.mode == Mode::Training ? "train" : "eval";
  result["frozen"] = state.target.frozen;
  result["batch_size"] = state.target.batch;
  result["slices"] = state.schedule.slices;
  result["steps"] = Tree::list();
  for (const compile::StepTrace& step : trace.steps)
    result["steps"].push(Tree::Table{
        {"step", step.name}, {"applied", step.applied}, {"microseconds", step.seconds * 1e6}});
  result["remarks"] = Tree::list();
  for (const compile::Remark& remark : state.remarks)
    result["remarks"].push(Tree::Table{{"step", remark.step}, {"text", remark.text}});
  if (!state.plan) return result;
  result["plan_bytes"] = state.plan->memory_bytes();
  result["plan"] = Tree::list();
  for (const StepInfo& step : state.plan->steps())
    result["plan"].push(Tree::Table{{"name", step.name},
                                    {"op", step.op},
                                    {"epilogue", step.epilogue},
                                    {"channels_last", step.layout == Layout::ChannelsLast},
                                    {"fast", step.backend != kReference}});
  return result;
}

Result<Exit> run(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  if (settings.flag("list")) return print_table(invocation, step_table(), TableStyle::Simple);
  CH_TRY(const compile::StepDef* last, compile::find_step(settings.text_or_empty("after")));
  const std::string name = settings.text_or_empty("model");
  if (name.empty())
    return Error{.what = "nothing to lower", .hint = "`ch lower MODEL`, or `ch lower --list`"};
  CH_TRY(const ModelSource source, classify(name));
  CH_TRY(const OpenedModel model, open_for_data(source, settings, ""));
  const compile::Target target = target_of(settings, model);
  if (target.frozen && target.mode == Mode::Training)
    return Error{.what = "parameters that are trained cannot be frozen",
                 .hint = "give one of them: --mode train, or --frozen"};
  if (last->applies != nullptr && !last->applies(target))
    return Error{.what = cat("the step '", last->name, "' does not run here"),
                 .hint = "`ch lower --list` says which steps are for --frozen and --mode train"};
  CH_CHECK(check_refused(target, model.graph));
  compile::Trace trace;
  CH_TRY(const compile::State state, compile_until(model.graph, target, *last, &trace));
  const std::string text = print(state, last->name, {.values = settings.flag("values")});
  if (prints_text(invocation)) {
    if (settings.flag("time"))
      invocation.out << shown(invocation, time_table(trace), TableStyle::Simple);
    if (settings.flag("remarks")) invocation.out << remarks_text(state);
    if (!settings.flag("time") && !settings.flag("remarks")) invocation.out << text;
  }
  Tree result = Tree::Table{{"model", model.name}, {"after", last->name}, {"text", text}};
  add_entries(result, tree_of(state, trace));
  return done(invocation, result);
}

}  // namespace

ActionDef define() {
  return {
      .name = "lower",
      .usage = "ch lower MODEL|FILE [options]",
      .summary = "show a network after any step of the compiler",
      .details =
          "  ch lower --list\n"
          "  ch lower jsc-tiny --mode train --after fuse\n"
          "  ch lower resnet18 --frozen --after chains\n"
          "  ch lower resnet18 --frozen --batch-size 8 --time\n"
          "FILE is an ONNX model, a checkpoint, a network in TOML or a graph as text (.chir; - is\n"
          "standard input). It prints the text form of the graph; comments say what the compiler\n"
          "found out about each call. After the last step it prints the steps of the plan.\n"
          "docs/compiler.md walks through it.",
      .positionals = {"model"},
      .settings = {"shape", "seed", "simd", "log_level", "json", "quiet", "no_warnings"},
      .own = {{.field = {.name = "after", .initial = "plan", .doc = "the last step that runs"},
               .placeholder = "STEP"},
              {.field = {.name = "mode",
                         .initial = "eval",
                         .doc =
                             "compile for evaluation, or for training with its loss and gradients",
                         .choices = {"eval", "train"}},
               .placeholder = "MODE"},
              flag("frozen", "parameters keep their values, as in `ch test`"),
              {.field = {.name = "batch_size",
                         .doc = "rows that run together; without it 1, and 2 for training",
                         .kind = FieldKind::Integer,
                         .bounds = kAtLeastOne},
               .placeholder = "N"},
              flag("list", "list the steps instead"),
              flag("time", "print what each step took instead of the network"),
              flag("remarks", "print what could not be done, and why, instead"),
              flag("values", "print the values of parameters as well"),
              option("refuse", "NODE,...",
                     "compile as if no backend could make the chains of these nodes")},
      .run = run};
}

}  // namespace chop::cli::actions::lower

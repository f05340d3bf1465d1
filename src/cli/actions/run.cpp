// ch run MODEL|FILE [DATASET]: a network on the arrays of a file, on samples of a data set, on
// random numbers; all its outputs, or those of some nodes.
#include <filesystem>

#include "cli/open_model.hpp"
#include "cli/output.hpp"
#include "cli/run_inputs.hpp"
#include "cli/session.hpp"
#include "compile/run_graph.hpp"
#include "io/load_weights.hpp"
#include "io/npz.hpp"
#include "onnx/inputs.hpp"
#include "ops/core/infer.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::run {
namespace {

namespace fs = std::filesystem;

/// A single array is the single input's, whatever either is called.
void name_single(NamedTensors& arrays, const Graph& graph) {
  const std::vector<NodeId> inputs = graph.placeholders();
  if (arrays.size() != 1 || inputs.size() != 1) return;
  Tensor value = std::move(arrays.begin()->second);
  arrays.clear();
  arrays.emplace(graph.node(inputs[0]).target, std::move(value));
}

/// The values of an ONNX model's inputs, by the names that the file has for them.
NamedTensors given_to(const MappedFile& file, const NamedTensors& arrays) {
  const Result<std::vector<OnnxInput>> inputs = onnx_inputs(file);
  if (!inputs || inputs.value().size() != 1 || arrays.size() != 1) return arrays;
  return {{inputs.value()[0].name, arrays.begin()->second}};
}

/// The network for these inputs. An ONNX model whose inputs' shapes or values are needed is opened
/// again knowing them, and a network in TOML knowing the shape of a sample.
Result<OpenedModel> open_for(const Settings& settings, const ModelSource& source,
                             RunInputs& inputs) {
  OpenModelOptions options{.seed = settings.seed()};
  CH_TRY(options.shapes, shapes_from(settings));
  Result<OpenedModel> opened = open_model(source, options);
  if (!opened && !inputs.arrays.empty()) {
    if (source.kind == SourceKind::Onnx) options.given = given_to(*source.file, inputs.arrays);
    options.sample_shape = inputs.sample_shape;
    options.num_classes = inputs.num_classes;
    opened = open_model(source, options);
  }
  if (!opened) return opened;
  OpenedModel& made = opened.value();
  CH_CHECK(load_given(made, settings));
  if (!made.trained) log_warning(cat("The weights of ", made.name, " are random"));
  for (const std::string& name : made.fixed) inputs.arrays.erase(name);
  name_single(inputs.arrays, made.graph);
  return opened;
}

/// A graph that ends in the results of some of its nodes.
struct CutGraph {
  Graph graph;
  std::vector<std::string> names = {};  ///< of the results, after the nodes as they were asked for
};

Result<NodeId> find_node(const Graph& graph, const std::string& name) {
  std::vector<std::string> names;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.opcode == Opcode::Output) continue;
    if (node.name == name || node.target == name) return id;
    names.push_back(node.name);
  }
  return Error{.what = cat("no node '", name, "'"),
               .hint = cat(did_you_mean(name, names), "the network has ", join(names, ", "))};
}

Result<CutGraph> up_to(Graph graph, const std::vector<std::string>& nodes) {
  CutGraph cut;
  CH_TRY(const Types types, infer_types(graph, 1));
  std::vector<Value> results;
  for (const std::string& name : nodes) {
    CH_TRY(const NodeId id, find_node(graph, name));
    const std::size_t count = types[index(id)].size();
    for (std::uint32_t i = 0; i < count; ++i) {
      if (std::find(results.begin(), results.end(), Value{id, i}) != results.end()) continue;
      results.push_back({id, i});
      cut.names.push_back(count == 1 ? name : cat(name, "_", i));
    }
  }
  graph.set_outputs(std::move(results));
  graph.drop_unused();
  cut.graph = std::move(graph);
  return cut;
}

NpzArrays as_arrays(const std::vector<NamedOutput>& outputs) {
  NpzArrays arrays;
  for (const NamedOutput& output : outputs)
    arrays.emplace_back(output.name, output.value.dtype() == DType::BF16
                                         ? output.value.to(DType::F32)
                                         : output.value);
  return arrays;
}

/// The first numbers of a result, for a look.
std::string first_values(const Tensor& tensor) {
  constexpr std::int64_t kShown = 5;
  std::vector<std::string> shown;
  for (std::int64_t i = 0; i < std::min(kShown, tensor.size()); ++i)
    shown.push_back(Cell(tensor.at(i), is_floating(tensor.dtype()) ? 5 : 0).text);
  if (tensor.size() > kShown) shown.emplace_back("...");
  return join(shown, " ");
}

/// All numbers of a result, in the order of memory.
Tree all_values(const Tensor& tensor) {
  Tree::List values;
  if (is_floating(tensor.dtype())) {
    for (std::int64_t i = 0; i < tensor.size(); ++i) values.emplace_back(tensor.at(i));
    return values;
  }
  const Tensor whole = tensor.to(DType::I64);
  for (const std::int64_t value : whole.data<std::int64_t>()) values.emplace_back(value);
  return values;
}

Status write_outputs(const fs::path& path, const std::vector<NamedOutput>& outputs) {
  for (const NamedOutput& output : outputs)
    if (output.value.dtype() == DType::BF16)
      log_info(cat("The output ", output.name, " is bf16, which numpy does not have; it is ",
                   "written as f32, with the same values"));
  CH_CHECK(write_npz(path, as_arrays(outputs)));
  log_info(cat("Written: ", path.string()));
  return {};
}

/// Prints the first values of each output; all of them go into the JSON.
Result<Exit> print_outputs(const Invocation& invocation, const Graph& graph,
                           const std::vector<NamedOutput>& outputs) {
  Table table{.columns = {{"Output", Align::Left},
                          {"Type", Align::Left},
                          {"Shape", Align::Left},
                          {"Values", Align::Left, 60},
                          {"Not finite", Align::Left}},
              .rows = {}};
  Tree::List result;
  NonFinites not_finite = non_finite_weights(graph);
  const std::size_t in_weights = not_finite.size();
  for (const NamedOutput& output : outputs) {
    const std::size_t before = not_finite.size();
    add_non_finite(not_finite, "output", output.name, output.value);
    const std::string dtype(name_of(output.value.dtype()));
    const std::string counts = not_finite.size() == before ? "" : not_finite.back().counts();
    table.rows.push_back(
        {output.name, dtype, to_string(output.value.shape()), first_values(output.value), counts});
    Tree entry = Tree::Table{{"name", output.name}, {"dtype", dtype}};
    entry["shape"] = output.value.shape();
    if (invocation.settings.has("json")) entry["values"] = all_values(output.value);
    if (!counts.empty()) entry["not_finite"] = counts;
    result.push_back(std::move(entry));
  }
  if (not_finite.size() == in_weights) table.columns.pop_back();  // rows may be longer
  warn_of_non_finite(not_finite);
  if (prints_text(invocation)) invocation.out << shown(invocation, table, TableStyle::Simple);
  return done(invocation, result);
}

/// Random numbers where they are asked for; an error where there is nothing to run on.
Status complete_inputs(NamedTensors& arrays, const Graph& graph, const Settings& settings) {
  if (const auto seed = settings.maybe_integer("random")) {
    if (settings.source("rows") != SettingSource::Default)
      return Error{.what = "--rows is for data sets, and --random is given",
                   .hint = cat("--samples ", settings.integer("rows"), " makes so many rows")};
    CH_TRY(arrays, random_arrays(graph, static_cast<std::uint64_t>(*seed),
                                 settings.maybe_integer("samples").value_or(1)));
  } else if (arrays.empty() && !graph.placeholders().empty()) {
    return Error{.what = "nothing to run the network on",
                 .hint = "name a data set or a file (.npz, .npy, .csv), or --random SEED"};
  }
  return {};
}

Result<Exit> execute(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  const auto out = settings.text("out");
  if (out && fs::path(*out).extension() != ".npz")
    return Error{.what = cat("--out ", *out, ": outputs are written as .npz"),
                 .hint = "give a name that ends in .npz"};
  CH_TRY(const ModelSource source, classify(settings.text_or_empty("model")));
  CH_TRY(RunInputs inputs, read_inputs(settings, source));
  CH_TRY(OpenedModel model, open_for(settings, source, inputs));
  CH_CHECK(complete_inputs(inputs.arrays, model.graph, settings));
  std::vector<std::string> names;
  if (const auto nodes = settings.text("node")) {
    CH_TRY(CutGraph cut, up_to(std::move(model.graph), split(*nodes, '\n')));
    model.graph = std::move(cut.graph);
    names = std::move(cut.names);
  }
  CH_TRY(std::vector<NamedOutput> outputs,
         run_graph(model.graph, inputs.arrays, thread_count(settings)));
  for (std::size_t i = 0; i < names.size(); ++i) outputs[i].name = names[i];
  if (out) CH_CHECK(write_outputs(*out, outputs));
  return print_outputs(invocation, model.graph, outputs);
}

}  // namespace

ActionDef define() {
  return {
      .name = "run",
      .usage = "ch run MODEL|FILE [DATASET] [--random SEED] [--out Y.npz] [options]",
      .summary = "run a network on a file, a data set or random numbers",
      .details =
          "  ch run mnist-8.onnx --in digits.npz --out answers.npz\n"
          "  ch run jsc-tiny jsc --load best.ckpt --node seq_blocks_2\n"
          "  ch run best.ckpt --random 0 --samples 2\n"
          "FILE is an ONNX model, a checkpoint of ours or a network in TOML. DATASET is the name\n"
          "of one, whose first test rows are used, or a file: .csv, .npy, or .npz with one array\n"
          "for each input under its name; one array for one input needs no name. --random\n"
          "draws numbers of the standard normal distribution. --node may be given several times.\n"
          "Without --out the first values are shown and nothing is written; --json has all.",
      .positionals = {"model", "dataset"},
      .required = {"model"},
      .settings = sample_settings({"load_name", "load_type", "load_partial"}),
      .own = {{.field = {.name = "random",
                         .doc = "run on random numbers of this seed",
                         .kind = FieldKind::Integer,
                         .bounds = kAtLeastZero},
               .placeholder = "SEED"},
              {.field = {.name = "samples",
                         .doc = "rows to run on; without it 128 of a data set by name, all of "
                                "a file, 1 of random numbers",
                         .kind = FieldKind::Integer,
                         .bounds = kAtLeastOne},
               .placeholder = "N"},
              {.field = {.name = "node", .doc = "show the results of this node instead"},
               .placeholder = "NAME",
               .repeats = true},
              {.field = {.name = "out",
                         .doc = "outputs: .npz with one array per output",
                         .kind = FieldKind::Path},
               .placeholder = "FILE"}},
      .run = execute};
}

}  // namespace chop::cli::actions::run

// ch run MODEL|FILE --in X.npz --out Y.npz: a network on the arrays of a file.
#include <algorithm>
#include <filesystem>

#include "cli/open_model.hpp"
#include "cli/output.hpp"
#include "cli/session.hpp"
#include "compile/run_graph.hpp"
#include "io/load_weights.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::run {
namespace {

namespace fs = std::filesystem;

Result<NamedTensors> read_arrays(const fs::path& path) {
  NamedTensors arrays;
  if (path.extension() == ".npy") {
    CH_TRY(Tensor tensor, read_npy(path));
    arrays.emplace("", std::move(tensor));  // for the only input, whatever its name
    return arrays;
  }
  CH_TRY(NpzArrays all, read_npz(path));
  for (auto& [name, tensor] : all) arrays.emplace(name, std::move(tensor));
  if (arrays.empty()) return Error{.what = cat("'", path.string(), "' holds no arrays")};
  return arrays;
}

/// A single array is the single input's, whatever either is called.
void name_single(NamedTensors& arrays, const Graph& graph) {
  const std::vector<NodeId> inputs = graph.placeholders();
  if (arrays.size() != 1 || inputs.size() != 1) return;
  Tensor value = std::move(arrays.begin()->second);
  arrays.clear();
  arrays.emplace(graph.node(inputs[0]).target, std::move(value));
}

/// The network for these arrays. An ONNX model whose inputs' values decide shapes is opened
/// again knowing them.
Result<OpenedModel> open_for(const Invocation& invocation, NamedTensors& arrays) {
  const Settings& settings = invocation.settings;
  const std::string model = settings.text_or_empty("model");
  OpenModelOptions options{.seed = static_cast<std::uint64_t>(settings.integer("seed"))};
  CH_TRY(const ModelSource source, classify(model));
  Result<OpenedModel> opened = open_model(source, options);
  if (!opened && source.kind == SourceKind::Onnx && !arrays.contains("")) {
    options.given = arrays;
    opened = open_model(source, options);
  }
  if (!opened) return opened;
  OpenedModel& made = opened.value();
  if (const auto path = settings.text("load_name")) {
    CH_TRY(const bool transformed, load_into(made.graph, *path, settings));
    static_cast<void>(transformed);
    made.trained = true;
  }
  if (!made.trained) log_warning(cat("The weights of ", made.name, " are random"));
  for (const std::string& name : made.fixed) arrays.erase(name);
  name_single(arrays, made.graph);
  return opened;
}

NpzArrays as_arrays(const std::vector<NamedOutput>& outputs) {
  NpzArrays arrays;
  for (const NamedOutput& output : outputs) arrays.emplace_back(output.name, output.value);
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

Result<Exit> execute(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  if (const auto path = settings.text("out"); path && fs::path(*path).extension() != ".npz")
    return Error{.what = cat("--out ", *path, ": outputs are written as .npz"),
                 .hint = "give a name that ends in .npz"};
  CH_TRY(NamedTensors arrays, read_arrays(settings.text_or_empty("in")));
  CH_TRY(const OpenedModel model, open_for(invocation, arrays));
  CH_TRY(const std::vector<NamedOutput> outputs,
         run_graph(model.graph, arrays, thread_count(settings)));
  Table table{.columns = {{"Output", Align::Left, 0, "name"},
                          {"Type", Align::Left, 0, "dtype"},
                          {"Shape", Align::Left, 0, "shape"},
                          {"Values", Align::Left, 60, "values"}},
              .rows = {}};
  for (const NamedOutput& output : outputs)
    table.rows.push_back({output.name, std::string(name_of(output.value.dtype())),
                          to_string(output.value.shape()), first_values(output.value)});
  if (const auto path = settings.text("out")) {
    CH_CHECK(write_npz(*path, as_arrays(outputs)));
    log_info(cat("Written: ", *path));
  }
  CH_CHECK(print_table(invocation, table, TableStyle::Simple));
  return Exit::Done;
}

}  // namespace

ActionDef define() {
  return {.name = "run",
          .usage = "ch run MODEL|FILE --in X.npz [--out Y.npz] [options]",
          .summary = "run a network on the arrays of a file",
          .details =
              "  ch run mnist-8.onnx --in digits.npz --out answers.npz\n"
              "  ch run jsc-tiny --load best.ckpt --in jets.npy\n"
              "FILE is an ONNX model, a checkpoint of ours or a network in TOML. Arrays are found "
              "by the\n"
              "names of the inputs; one array for one input needs no name, and may be a .npy "
              "file.\n"
              "Without --out the first values are shown and nothing is written.",
          .positionals = {"model"},
          .required = {"model", "in"},
          .settings = {"load_name", "load_type", "load_partial", "seed", "num_workers", "threads",
                       "log_level", "json", "quiet", "no_warnings"},
          .own = {{.field = {.name = "in",
                             .doc = "inputs: .npz with one array per input, or .npy",
                             .kind = FieldKind::ExistingFile},
                   .placeholder = "FILE"},
                  {.field = {.name = "out",
                             .doc = "outputs: .npz with one array per output",
                             .kind = FieldKind::Path},
                   .placeholder = "FILE"}},
          .run = execute};
}

}  // namespace chop::cli::actions::run

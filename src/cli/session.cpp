#include "cli/session.hpp"

#include "cli/output.hpp"
#include "data/registry.hpp"
#include "models/registry.hpp"
#include "onnx/import.hpp"
#include "onnx/inputs.hpp"
#include "ops/core/infer.hpp"
#include "ops/core/init.hpp"
#include "support/escape.hpp"
#include "support/system/log.hpp"
#include "support/system/threads.hpp"
#include "support/text.hpp"
#include "train/loop/progress_state.hpp"

namespace chop::cli {
namespace {

namespace fs = std::filesystem;

/// How the reference system calls what was loaded.
std::string_view kind_of(LoadType type) {
  switch (type) {
    case LoadType::Pt:
      return "pytorch checkpoint";
    case LoadType::Pl:
      return "pytorch lightning checkpoint";
    case LoadType::Mz:
      return "mase checkpoint";
    default:
      return "weights";
  }
}

/// Opens the model, or what it is to be built from. Done before the data is read: a model that is
/// misspelt, missing or damaged is worth knowing at once.
Status open_network(Session& session, const ModelSource& source, const Settings& settings) {
  if (source.kind == SourceKind::Name)
    if (Result<const ModelDef*> known = find_model(source.given); !known) return known.error();
  if (!source.is_network()) return {};
  CH_TRY(OpenedModel opened, open_for_data(source, settings, settings.text_or_empty("dataset")));
  session.graph = std::move(opened.graph);
  session.trained = true;
  session.trained_on = std::move(opened.trained_on);
  session.transformed = true;  // what is saved from here on was made from this file
  return {};
}

/// The shape of a sample of a data set, for a network with these inputs. Reads a few rows.
Result<Shape> sample_shape_of(const std::string& dataset, const Settings& settings,
                              std::vector<std::string> inputs) {
  DataOptions options = data_options(settings);
  if (options.path == dataset || options.path == "auto") options.path = "";  // `ch compare --data`
  options.rows = 16;
  options.whole = true;
  options.labels_optional = true;
  options.inputs = std::move(inputs);
  CH_TRY(const Dataset data, load_dataset(dataset, options));
  return data.sample_shape;
}

}  // namespace

Status check_dataset(const std::string& dataset, const Settings& settings, const Graph& graph) {
  std::vector<std::string> inputs;
  for (const NodeId id : graph.placeholders()) inputs.push_back(graph.node(id).name);
  if (inputs.size() != 1) return {};  // what a data set gives is one
  CH_TRY([[maybe_unused]] const Shape shape, sample_shape_of(dataset, settings, inputs));
  return {};
}

Result<OpenedModel> open_for_data(const ModelSource& source, const Settings& settings,
                                  const std::string& dataset) {
  OpenModelOptions options;
  if (find_setting(settings.defs(), "seed") != nullptr) options.seed = settings.seed();
  CH_TRY(options.shapes, shapes_from(settings));
  Result<OpenedModel> opened = open_model(source, options);
  if (opened || dataset.empty() || !options.shapes.empty()) return opened;
  if (source.kind == SourceKind::Toml) {
    CH_TRY(const Dataset data, load_dataset(dataset, data_options(settings)));
    options.sample_shape = data.sample_shape;
    options.num_classes = data.num_classes;
    return open_model(source, options);
  }
  if (source.kind != SourceKind::Onnx) return opened;
  const Result<std::vector<OnnxInput>> inputs = onnx_inputs(*source.file);
  if (!inputs || inputs.value().size() != 1 || !inputs.value()[0].is_open()) return opened;
  CH_TRY(Shape shape, sample_shape_of(dataset, settings, {inputs.value()[0].name}));
  shape.insert(shape.begin(), -1);
  options.shapes = {{"", shape}};
  opened = open_model(source, options);
  if (opened) return opened;
  options.shapes[""][0] = 1;
  Result<OpenedModel> for_one_row = open_model(source, options);
  return for_one_row ? std::move(for_one_row) : std::move(opened);
}

int thread_count(const Settings& settings) {
  const bool by_workers = settings.source("threads") == SettingSource::Default &&
                          settings.source("num_workers") != SettingSource::Default;
  const std::int64_t count = settings.integer(by_workers ? "num_workers" : "threads");
  return static_cast<int>(std::max<std::int64_t>(1, count));
}

DataOptions data_options(const Settings& settings) {
  const bool may_split = find_setting(settings.defs(), "split") != nullptr;
  return {.path = settings.text_or_empty("data"),
          .validation =
              parse_validation(settings.text_or_empty("validation")).value_or(Validation::Split),
          .validation_fraction = settings.real("validation_fraction"),
          .use_cache = !settings.flag("disable_dataset_cache"),
          .rows = settings.integer("rows"),
          .threads = thread_count(settings),
          .standardise = settings.flag("standardise"),
          .whole = may_split && !settings.flag("split"),
          .input_scale = settings.real("input_scale"),
          .input_mean = settings.real("input_mean"),
          .input_std = settings.real("input_std")};
}

std::vector<std::string_view> sample_settings(std::vector<std::string_view> more) {
  more.insert(more.end(),
              {"shape", "seed", "data", "rows", "standardise", "input_scale", "input_mean",
               "input_std", "validation", "validation_fraction", "disable_dataset_cache",
               "num_workers", "threads", "log_level", "json", "quiet", "no_warnings"});
  return more;
}

SettingDef split_setting() {
  return flag("split",
              "of a data file use only the fifth that `ch train` holds out to test "
              "with");
}

Result<Dataset> open_dataset(const std::string& name, DataOptions options, const Graph& graph,
                             Labels labels) {
  if (labels == Labels::Optional) {
    options.labels_optional = true;
    for (const NodeId id : graph.placeholders()) options.inputs.push_back(graph.node(id).target);
    if (const Result<Types> types = infer_types(graph, 1); types && options.inputs.size() == 1)
      options.input_width = numel(types.value()[index(graph.placeholders()[0])][0].shape);
  }
  CH_TRY(Dataset data, load_dataset(name, options));
  for (const std::string& note : data.notes) log_info(note);
  log_info(cat("dataset '", data.name, "': ", describe_rows(data)));
  return data;
}

TrainOptions train_options(const Settings& settings) {
  TrainOptions options;
  for (const TrainField& option : train_fields())
    if (find_setting(settings.defs(), option.field.name) != nullptr &&
        settings.has(option.field.name))
      option.set(options, settings.value(option.field.name));
  options.threads = thread_count(settings);
  if (settings.flag("to_debug")) options.most_batches = 5;
  if (options.max_steps <= 0) options.max_steps = -1;  // as the reference: no limit
  return options;
}

Result<ModelSource> model_source(const Settings& settings) {
  const std::string name = settings.text_or_empty("model");
  if (settings.model_in_config())
    return ModelSource{.kind = SourceKind::Toml,
                       .given = settings.config()->path.string(),
                       .toml = settings.config()->tree};
  return classify(name);
}

Result<Graph> make_model(const ModelSource& source, const Settings& settings, const Dataset& data) {
  CH_TRY(const auto shapes, shapes_from(settings));
  CH_TRY(OpenedModel opened, open_model(source, {.sample_shape = data.sample_shape,
                                                 .num_classes = data.num_classes,
                                                 .seed = settings.seed(),
                                                 .shapes = shapes}));
  return std::move(opened.graph);
}

Result<std::optional<ModelSource>> weights_source(const Settings& settings) {
  const std::optional<std::string> given = settings.text("load_name");
  if (!given) return std::optional<ModelSource>();
  CH_TRY(ModelSource source, classify(*given));
  if (!source.file) return holds_no_network(source);  // a folder, or a pipe
  return std::optional(std::move(source));
}

Result<LoadedInto> load_into(Graph& graph, const ModelSource& weights, const Settings& settings) {
  CH_TRY(const LoadType type, load_type_from_name(settings.text("load_type").value_or("auto")));
  const fs::path& path = weights.file->path();
  if (type == LoadType::Onnx || (type == LoadType::Auto && weights.kind == SourceKind::Onnx)) {
    CH_TRY(const auto shapes, shapes_from(settings));
    CH_TRY(OnnxImport imported,
           import_onnx(*weights.file, {.name = graph.name(), .shapes = shapes}));
    graph = std::move(imported.graph);
    warn_of_non_finite(non_finite_weights(graph));
    log_info(cat("Loaded ONNX model from ", path.string(), ", network and weights"));
    return LoadedInto{.transformed = true};
  }
  Result<LoadedWeights> loaded =
      load_weights(graph, *weights.file, {.type = type, .partial = settings.flag("load_partial")});
  if (!loaded)
    return std::move(loaded).error().note(
        cat("while loading '", path.string(), "' into ", graph.name()));
  if (Status sound = verify(loaded.value().graph); !sound)
    return std::move(sound).error().note(cat("in the graph of '", path.string(), "'"));
  graph = std::move(loaded.value().graph);
  ops::apply_masks(graph);
  warn_of_non_finite(non_finite_weights(graph));
  log_info(cat("Loaded ", kind_of(loaded.value().type), " from ", path.string()));
  for (const std::string& note : loaded.value().notes)
    log_info(cat(path.filename().string(), ": ", note));
  return LoadedInto{loaded.value().transformed, std::move(loaded.value().trained_on)};
}

Status load_given(OpenedModel& model, const Settings& settings) {
  CH_TRY(const std::optional<ModelSource> weights, weights_source(settings));
  if (!weights) return {};
  CH_TRY(LoadedInto loaded, load_into(model.graph, *weights, settings));
  model.trained = true;
  model.trained_on = std::move(loaded.trained_on);
  return {};
}

Result<Session> open_session(const Invocation& invocation, NeedsData needs,
                             std::optional<ModelSource> known) {
  const Settings& settings = invocation.settings;
  if (prints_text(invocation) && !settings.flag("quiet") &&
      (invocation.action.opens_with_settings || settings.flag("show_settings")))
    invocation.out << render(settings_table(settings), {.colour = invocation.colour}) << std::flush;
  if (!known) {
    CH_TRY(known, model_source(settings));
  }
  const ModelSource& source = *known;
  Session session;
  session.model_name = settings.text_or_empty("model");
  const std::string dataset = settings.text_or_empty("dataset");
  log_info(cat("Initialising model '", session.model_name, "'..."));
  CH_CHECK(open_network(session, source, settings));
  if (dataset.empty() && needs != NeedsData::Nothing)
    return Error{.what = "no data set given", .hint = "name one; `ch datasets` lists them"};
  if (!dataset.empty()) {
    log_info(cat("Initialising dataset '", dataset, "'..."));
    Graph graph = session.graph;
    if (needs != NeedsData::Labelled && !source.is_network())  // for what it calls its inputs
      if (Result<Graph> built = build_source(source, {}); built) graph = std::move(built).value();
    CH_TRY(session.data,
           open_dataset(dataset, data_options(settings), graph,
                        needs == NeedsData::Labelled ? Labels::Needed : Labels::Optional));
  }
  if (!source.is_network()) {
    CH_TRY(session.graph, make_model(source, settings, session.data));
  }
  CH_TRY(session.weights, weights_source(settings));
  if (session.weights) {
    CH_TRY(LoadedInto loaded, load_into(session.graph, *session.weights, settings));
    session.transformed = loaded.transformed;
    session.trained = true;
    session.trained_on = std::move(loaded.trained_on);
  }
  if (session.has_data())
    CH_CHECK(check_fits(session.graph, session.data.test, session.data.num_classes));
  session.source = *std::move(known);
  return session;
}

void warn_of_random_weights() {
  log_warning("The weights are random, so accuracy means nothing; --load gives trained ones");
}

std::map<std::string, std::string> info_of_transformed(const Graph& graph,
                                                       const std::string& trained_on) {
  std::map<std::string, std::string> info = {{kTransformedFrom, graph.name()}};
  if (!trained_on.empty()) info[kTrainedOn] = to_utf8(trained_on);
  return info;
}

void compare_data(const std::string& name, const std::string& trained_on, const Dataset& data) {
  const std::string here = recorded_name(data);
  if (trained_on.empty() || trained_on == here) return;
  const auto is_known = [](const std::string& text) {
    return static_cast<bool>(find_dataset(text.substr(0, text.find(" (synthetic)"))));
  };
  const std::string what =
      cat(name, " was trained on '", trained_on, "', and the data here is '", here, "'");
  if (is_known(trained_on) && is_known(here))
    log_warning(cat(what, ": its accuracy means little"));
  else
    log_info(what);
}

std::string labelled(const Dataset& data, std::string_view what) {
  return data.synthetic ? cat(what, " (synthetic)") : std::string(what);
}

}  // namespace chop::cli

#include "cli/run_inputs.hpp"

#include <filesystem>

#include "cli/session.hpp"
#include "data/registry.hpp"
#include "data/splits.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "ops/core/infer.hpp"
#include "support/rng.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

namespace fs = std::filesystem;

/// The first `rows` rows of an array of any type.
Tensor first_of(const Tensor& array, std::int64_t rows) {
  if (rows >= array.dim(0)) return array;
  Shape shape = array.shape();
  shape[0] = rows;
  Tensor part(array.dtype(), shape);
  std::copy_n(array.bytes(), part.size_in_bytes(), part.mutable_bytes());
  return part;
}

/// How many rows of a file of arrays are asked for; 0: all.
std::int64_t rows_asked(const Settings& settings) {
  const std::int64_t rows = settings.integer("rows");
  const std::int64_t samples = settings.maybe_integer("samples").value_or(rows);
  return rows > 0 ? std::min(rows, samples) : samples;
}

/// The arrays of a .npy or .npz file as they are: any type, one for each input.
Result<RunInputs> read_arrays(const fs::path& path, const Settings& settings) {
  RunInputs inputs;
  if (path.extension() == ".npy") {
    CH_TRY(Tensor tensor, read_npy(path, settings.integer("rows")));
    inputs.arrays.emplace("", std::move(tensor));
  } else {
    CH_TRY(NpzArrays all, read_npz(path, settings.integer("rows")));
    for (auto& [name, tensor] : all) inputs.arrays.emplace(name, std::move(tensor));
    // A data set with labels: they are no input.
    if (inputs.arrays.size() == 2 && inputs.arrays.contains("x")) inputs.arrays.erase("y");
  }
  const bool is_one = inputs.arrays.size() == 1;
  const std::int64_t asked = rows_asked(settings);
  for (auto& [name, array] : inputs.arrays) {
    if (array.rank() == 0) continue;
    const std::int64_t all = array.dim(0);
    if (asked > 0) array = first_of(array, asked);
    if (is_one || asked > 0)
      log_info(cat("Running on ", shown_rows(array.dim(0), all), is_one ? "" : " of " + name));
  }
  if (!is_one || inputs.arrays.begin()->second.rank() == 0) return inputs;
  const Tensor& only = inputs.arrays.begin()->second;
  if (only.rank() > 1) inputs.sample_shape = Shape(only.shape().begin() + 1, only.shape().end());
  return inputs;
}

/// Samples of a data set by name, of which a few will do, or of a CSV file, all of it.
Result<RunInputs> read_samples(const std::string& name, const ModelSource& source,
                               const Settings& settings) {
  constexpr std::int64_t kFew = 128;
  Graph graph;
  if (Result<OpenedModel> opened = open_model(source); opened)
    graph = std::move(opened.value().graph);
  DataOptions options = data_options(settings);
  options.whole = true;
  CH_TRY(const Dataset data, open_dataset(name, options, graph, Labels::Optional));
  const std::int64_t asked =
      settings.maybe_integer("samples").value_or(find_dataset(name) ? kFew : 0);
  const Split part = first_rows(data.test, asked);
  log_info(cat("Running on ", shown_rows(part.rows(), data.test.rows())));
  return RunInputs{
      .arrays = {{"", part.x}}, .sample_shape = data.sample_shape, .num_classes = data.num_classes};
}

}  // namespace

Result<NamedTensors> random_arrays(const Graph& graph, std::uint64_t seed, std::int64_t batch) {
  NamedTensors arrays;
  CH_TRY(const Types types, infer_types(graph, batch));
  for (const NodeId id : graph.placeholders()) {
    const TensorType& type = types[index(id)][0];
    const std::string& name = graph.node(id).target;
    if (type.dtype != DType::F32)
      return Error{.what = cat("the input ", name, " takes ", name_of(type.dtype),
                               ", and random numbers are f32"),
                   .hint = "give its values in a file: --in X.npz"};
    Tensor tensor(type);
    const Stream stream(seed, name);
    const std::span<float> values = tensor.mutable_data<float>();
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(stream.normal(i));
    arrays.emplace(name, std::move(tensor));
  }
  return arrays;
}

Result<RunInputs> read_inputs(const Settings& settings, const ModelSource& source) {
  const std::string name = settings.text_or_empty("dataset");
  if (name.empty()) return RunInputs{};
  if (settings.has("random"))
    return Error{.what = cat("both '", name, "' and --random are given"),
                 .hint = "give one of them"};
  const std::string ending = fs::path(name).extension().string();
  return ending == ".npy" || ending == ".npz" ? read_arrays(name, settings)
                                              : read_samples(name, source, settings);
}

}  // namespace chop::cli

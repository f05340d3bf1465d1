#include "mutate/kinds.hpp"

#include <algorithm>

#include "formats/registry.hpp"
#include "io/checkpoint.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "ir/text/text.hpp"
#include "models/registry.hpp"
#include "onnx/export/export.hpp"
#include "passes/pass_def.hpp"
#include "support/samples.hpp"
#include "support/system/files.hpp"
#include "unit/io/tar_builder.hpp"

namespace chop::mutate {
namespace {

namespace fs = std::filesystem;

const ModelArgs kArgs{.sample_shape = {16}, .num_classes = 5};

constexpr const char* kQuantise =
    "model = \"jsc-tiny\"\ndataset = \"rows.csv\"\nbatch_size = 8\nmax_epochs = 1\n"
    "[passes.quantize]\nby = \"type\"\nreport = true\n[passes.quantize.default.config]\n"
    "name = \"NA\"\n[passes.quantize.linear.config]\nname = \"integer\"\ndata_in_width = 8\n"
    "data_in_frac_width = 4\nweight_width = 6\nweight_frac_width = \"auto\"\nbias_width = 8\n"
    "bias_frac_width = 4\n[passes.summarize_quantization]\n[passes.calculate_avg_bits]\n"
    "[passes.profile_statistics]\nby = \"type\"\nnum_samples = 8\n"
    "target_activation_nodes = [\"relu\"]\n"
    "[passes.profile_statistics.activation_statistics.range_min_max]\ndims = \"all\"\n";

constexpr const char* kSearch =
    "model = \"jsc-tiny\"\ndataset = \"rows.csv\"\nbatch_size = 8\n"
    "[search.search_space]\nname = \"graph/quantize/mixed_precision_ptq\"\n"
    "[search.search_space.setup]\nby = \"type\"\n[search.search_space.seed.linear.config]\n"
    "name = \"integer\"\ndata_in_width = [4, 8]\ndata_in_frac_width = [2, 3]\n"
    "weight_width = [2, 4, 8]\nweight_frac_width = [3]\nbias_width = 8\nbias_frac_width = 4\n"
    "[search.strategy]\nname = \"optuna\"\n[search.strategy.sw_runner.basic_evaluation]\n"
    "num_samples = 8\n[search.strategy.hw_runner.average_bitwidth]\ncompare_to = 32\n"
    "[search.strategy.setup]\nn_jobs = 1\nn_trials = 2\nsampler = \"tpe\"\n"
    "sum_scaled_metrics = false\n[search.strategy.metrics.accuracy]\nscale = 1.0\n"
    "direction = \"maximize\"\n[search.strategy.metrics.average_bitwidth]\nscale = 0.2\n"
    "direction = \"minimize\"\n";

std::string table_of_rows() {
  std::string text;
  for (int i = 0; i < 16; ++i) text += cat("f", i, ",");
  text += "label\n";
  for (int row = 0; row < 24; ++row) {
    for (int i = 0; i < 16; ++i) text += cat((row * 7 + i * 3) % 11 - 5, ".5,");
    text += cat(row % 5, "\n");
  }
  return text;
}

std::string jets_arff() {
  std::string text = "@RELATION jets\n";
  for (int i = 0; i < 16; ++i) text += cat("@ATTRIBUTE f", i, " REAL\n");
  text += "@ATTRIBUTE class {g,q,t,w,z}\n@DATA\n";
  for (int row = 0; row < 24; ++row) {
    for (int i = 0; i < 16; ++i) text += cat((row * 7 + i * 3) % 11 - 5, ".5,");
    text += cat("gqtwz"[row % 5], "\n");
  }
  return text;
}

std::string cifar10_tar() {
  std::vector<testing::TarPart> parts = {{.name = "cifar-10-batches-bin/", .type = '5'}};
  for (const char* name : {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4",
                           "data_batch_5", "test_batch"}) {
    std::string bytes;
    for (int i = 0; i < 10; ++i)
      bytes += static_cast<char>(i) + std::string(3072, static_cast<char>(25 * i));
    parts.push_back({.name = cat("cifar-10-batches-bin/", name, ".bin"), .bytes = bytes});
  }
  return testing::tar_of(parts);
}

Tensor features() {
  Tensor x(DType::F32, {24, 16});
  float next = -3;
  for (float& value : x.mutable_data<float>()) value = (next += 0.37F) > 3 ? next = -3 : next;
  return x;
}

Tensor labels() {
  Tensor y(DType::I64, {24});
  for (std::int64_t i = 0; i < 24; ++i)
    y.mutable_data<std::int64_t>()[static_cast<std::size_t>(i)] = i % 5;
  return y;
}

std::string idx_of(const std::vector<int>& dims, int values) {
  std::string bytes = {0, 0, 8, static_cast<char>(dims.size())};
  int count = 1;
  for (const int dim : dims) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(dim >> shift & 0xFF);
    count *= dim;
  }
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(i * 31 % values);
  return bytes;
}

/// Networks that take the rows of the companions, with every number format.
std::vector<Graph> networks() {
  std::vector<Graph> graphs;
  for (const char* name : {"jsc-tiny", "jsc-toy", "jsc-trt", "toy"})
    graphs.push_back(build_model(name, kArgs).value());
  // Each format on the layers of a small network.
  for (const FormatDef& def : all_formats())
    for (const NumberFormat& format : samples_of(def)) {
      Graph graph = build_model("jsc-toy", kArgs).value();
      for (const NodeId id : graph.order())
        if (Node& node = graph.node(id); node.op == "linear") {
          node.formats["data_in_0"] = node.formats["weight"] = format;
          node.formats[def.name.size() % 2 == 0 ? "bias" : "data_out_0"] = format;
        }
      if (verify(graph)) graphs.push_back(std::move(graph));
    }
  return graphs;
}

/// Every sample of every op, alone.
std::vector<Graph> single_ops() {
  std::vector<Graph> graphs;
  for (const test::Case& at : test::all_cases()) {
    Graph graph = test::make(at).graph;
    if (verify(graph)) graphs.push_back(std::move(graph));
  }
  return graphs;
}

Words corpus(const fs::path& source, const std::string& target) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(source / "tests/fuzz/corpus" / target))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  Words files;
  for (const fs::path& path : paths) files.push_back(read_file(path).value());
  return files;
}

std::string checkpoint_of(const Graph& graph, const fs::path& scratch) {
  if (!save_checkpoint(scratch, {.graph = graph})) std::abort();
  return read_file(scratch).value();
}

/// What any graph in a file is put through.
std::vector<Words> graph_commands(const std::string& file) {
  std::vector<Words> commands = {{"inspect", file, "--all"},
                                 {"inspect", file, "--tensors"},
                                 {"inspect", file, "--report", "flops", "--batch-size", "3"},
                                 {"inspect", file, "--report", "meta"},
                                 {"inspect", file, "--report", "graph"},
                                 {"convert", file, "out/y.onnx"},
                                 {"convert", file, "out/y.onnx", "--quant-style", "qonnx"},
                                 {"convert", file, "out/y.ckpt"},
                                 {"convert", file, "out/y.safetensors"},
                                 {"compare", file},
                                 {"compare", file, file},
                                 {"lower", file, "--mode", "train"},
                                 {"lower", file, "--frozen"},
                                 {"bench-model", file, "--repeats", "3", "--batch-size", "2"}};
  commands.insert(commands.end(), 8, {"exercise", file});
  for (const PassDef& pass : all_passes())
    commands.push_back({"pass", std::string(pass.name), file});
  return commands;
}

/// What a network that takes the rows of the companions is put through besides.
std::vector<Words> network_commands(const std::string& file) {
  const Words project = {"--project-dir", "out", "--batch-size", "8"};
  std::vector<Words> commands = {
      {"run", file, "--in", "x.npy"},
      {"test", file, "rows.csv"},
      {"transform", file, "rows.csv", "--config", "q.toml"},
      {"train", file, "rows.csv", "--max-steps", "2", "--max-epochs", "1"},
      {"train", "jsc-toy", "rows.csv", "--load", file, "--max-steps", "1"},
      {"search", file, "rows.csv", "--config", "s.toml", "--storage", "memory", "--trials", "2"}};
  for (Words& words : commands)
    if (words[0] != "run") words.insert(words.end(), project.begin(), project.end());
  commands.push_back({"compare", file, "base.ckpt", "--data", "rows.csv"});
  commands.push_back({"inspect", file, "rows.csv", "--report", "stats"});
  commands.push_back({"pass", "quantize", file, "rows.csv", "by=type", "num_samples=8",
                      "linear.config.name=integer", "linear.config.data_in_width=8",
                      "linear.config.weight_width=6", "linear.config.bias_width=8"});
  commands.push_back({"pass", "profile_statistics", file, "rows.csv", "by=type", "num_samples=8",
                      "target_weight_nodes=linear", "target_activation_nodes=relu,linear",
                      "weight_statistics.variance_precise.dims=all",
                      "activation_statistics.range_min_max.dims=all"});
  return commands;
}

std::vector<Words> data_commands(const std::string& file) {
  return {{"test", "base.ckpt", file, "--batch-size", "8"},
          {"test", "base.ckpt", file, "--batch-size", "8", "--rows", "19"},
          {"transform", "toy", file, "--config", "q.toml", "--project-dir", "out"},
          {"train", "toy", file, "--max-steps", "2", "--batch-size", "8", "--project-dir", "out"},
          {"train", "toy", file, "--max-steps", "2", "--standardise", "--rows", "20",
           "--project-dir", "out"}};
}

std::vector<Words> weights_commands(const std::string& file) {
  return {{"inspect", file},
          {"inspect", file, "--all"},
          {"convert", file, "out/y.safetensors"},
          {"test", "jsc-toy", "rows.csv", "--load", file, "--batch-size", "8"},
          {"test", "jsc-toy", "rows.csv", "--load", file, "--load-partial", "--batch-size", "8"},
          {"compare", file, "base.ckpt"}};
}

std::vector<Words> joined(std::vector<Words> a, const std::vector<Words>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

void write_companions(const fs::path& work) {
  fs::create_directories(work / "mnist");
  const auto put = [&](const char* name, const std::string& bytes) {
    if (!write_file(work / name, bytes)) std::abort();
  };
  put("rows.csv", table_of_rows());
  put("q.toml", kQuantise);
  put("s.toml", kSearch);
  put("x.npy", format_npy(features()).value());
  put("m_labels.npy", format_npy(labels()).value());
  put("mnist/train-images-idx3-ubyte", idx_of({20, 28, 28}, 255));
  put("mnist/train-labels-idx1-ubyte", idx_of({20}, 10));
  put("mnist/t10k-images-idx3-ubyte", idx_of({12, 28, 28}, 255));
  put("mnist/t10k-labels-idx1-ubyte", idx_of({12}, 10));
  if (!save_checkpoint(work / "base.ckpt", {.graph = build_model("jsc-toy", kArgs).value()}))
    std::abort();
}

std::vector<Kind> all_kinds(const fs::path& source) {
  const fs::path scratch = fs::temp_directory_path() / cat("ch-mutate-", getpid());
  std::vector<Kind> kinds;
  const auto add = [&](const char* suffix, const std::vector<Graph>& graphs, bool takes_rows) {
    Kind checkpoint{cat("checkpoint", suffix), "m.ckpt", {}, mutate_safetensors, {}};
    Kind text{cat("graph", suffix), "m.chir", {}, mutate_text, {}};
    Kind onnx{cat("onnx", suffix), "m.onnx", {}, mutate_onnx, {}};
    for (const Graph& graph : graphs) {
      checkpoint.bases.push_back(checkpoint_of(graph, scratch));
      text.bases.push_back(print(graph, {.values = true}));
      if (const Result<std::string> model = export_onnx(graph)) onnx.bases.push_back(model.value());
    }
    for (Kind* kind : {&checkpoint, &text, &onnx}) {
      kind->commands = graph_commands(kind->file);
      if (takes_rows) kind->commands = joined(kind->commands, network_commands(kind->file));
      kinds.push_back(std::move(*kind));
    }
  };
  add("", networks(), true);
  add("-op", single_ops(), false);
  for (const std::string& base : corpus(source, "import_onnx_fuzz"))
    kinds.back().bases.push_back(base);
  fs::remove(scratch);
  Words tomls = corpus(source, "read_network_fuzz");
  for (const std::string& base : corpus(source, "read_config_fuzz")) tomls.push_back(base);
  for (int i = 0; i < 10; ++i) tomls.insert(tomls.end(), {kQuantise, kSearch});
  Words npz;
  for (const char* x : {"x", "x_train"}) {
    const fs::path path = fs::temp_directory_path() / cat("ch-mutate-", getpid(), ".npz");
    NpzArrays arrays = {{x, features()},
                        {cat("y", std::string_view(x).substr(1)), labels()},
                        {"x_test", features()},
                        {"y_test", labels()}};
    if (!write_npz(path, arrays)) std::abort();
    npz.push_back(read_file(path).value());
    fs::remove(path);
  }
  Words torch = corpus(source, "read_torch_checkpoint_fuzz");
  kinds.push_back({"weights", "m.safetensors", corpus(source, "read_safetensors_fuzz"),
                   mutate_safetensors, weights_commands("m.safetensors")});
  kinds.push_back({"torch", "m.pt", std::move(torch), mutate_zip, weights_commands("m.pt")});
  kinds.push_back({"toml",
                   "m.toml",
                   std::move(tomls),
                   mutate_text,
                   {{"inspect", "m.toml"},
                    {"exercise", "m.toml"},
                    {"transform", "jsc-tiny", "rows.csv", "--config", "m.toml", "--project-dir",
                     "out", "--rows", "24"},
                    {"transform", "--config", "m.toml", "--project-dir", "out", "--rows", "24"},
                    {"train", "--config", "m.toml", "--project-dir", "out", "--max-epochs", "1",
                     "--max-steps", "2", "--rows", "24"},
                    {"search", "--config", "m.toml", "--project-dir", "out", "--storage", "memory",
                     "--trials", "2", "--rows", "24"},
                    {"search", "jsc-tiny", "rows.csv", "--config", "m.toml", "--project-dir", "out",
                     "--dry-run"}}});
  kinds.push_back(
      {"npy",
       "m.npy",
       {format_npy(features()).value()},
       mutate_npy,
       joined(data_commands("m.npy"), {{"run", "base.ckpt", "--in", "m.npy"},
                                       {"format", "integer", "width=8", "--in", "m.npy"}})});
  kinds.push_back({"npz", "m.npz", std::move(npz), mutate_zip,
                   joined(data_commands("m.npz"), {{"run", "base.ckpt", "--in", "m.npz"}})});
  Words csv = corpus(source, "read_csv_fuzz");
  csv.insert(csv.end(), 12, table_of_rows());
  kinds.push_back({"csv", "m.csv", std::move(csv), mutate_text, data_commands("m.csv")});
  Words arff = corpus(source, "read_arff_fuzz");
  arff.insert(arff.end(), 12, jets_arff());
  std::vector<Words> arff_commands = data_commands("m.arff");
  arff_commands.push_back({"train", "jsc-toy", "jsc_openml", "--data", "m.arff", "--max-steps", "2",
                           "--batch-size", "8", "--project-dir", "out", "--no-cache"});
  kinds.push_back({"arff", "m.arff", std::move(arff), mutate_text, std::move(arff_commands)});
  kinds.push_back({"tar",
                   "m.tar.gz",
                   {cifar10_tar()},
                   mutate_tar,
                   {{"train", "toy", "cifar10", "--data", "m.tar.gz", "--max-steps", "2",
                     "--batch-size", "8", "--project-dir", "out"},
                    {"test", "toy", "cifar10", "--data", "m.tar.gz", "--rows", "7"}}});
  for (const char* part : {"images-idx3", "labels-idx1"})
    kinds.push_back({cat("idx-", part),
                     cat("mnist/train-", part, "-ubyte"),
                     {part[0] == 'i' ? idx_of({20, 28, 28}, 255) : idx_of({20}, 10)},
                     mutate_idx,
                     data_commands("./mnist")});
  return kinds;
}

}  // namespace chop::mutate

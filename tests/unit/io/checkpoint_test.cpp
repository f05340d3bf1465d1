// Native checkpoints: everything comes back, equal bytes for equal contents, clear refusals.
#include "io/checkpoint.hpp"

#include <gtest/gtest.h>

#include "io/load_weights.hpp"
#include "io/safetensors.hpp"
#include "io/weights_file.hpp"
#include "ir/json.hpp"
#include "support/system/files.hpp"
#include "unit/io/temp_folder.hpp"
#include "unit/ir/random_graph.hpp"

namespace chop {
namespace {

namespace fs = std::filesystem;

using testing::TempFolder;

Graph network(std::int64_t width = 3) {
  Graph graph("net");
  graph.add_parameter({.name = "fc.weight", .value = Tensor::full({2, width}, 0.5)});
  graph.add_parameter({.name = "fc.bias", .value = Tensor::of<float>({2}, {-0.0F, 1e-45F})});
  graph.add_parameter(
      {.name = "bn.mean", .value = Tensor::full({2}, 3, DType::F64), .trainable = false});
  const NodeId x = graph.add({.name = "x",
                              .opcode = Opcode::Placeholder,
                              .op = "placeholder",
                              .target = "x",
                              .attrs = {{"shape", Ints{-1, width}}}});
  const NodeId fc = graph.add({.opcode = Opcode::CallModule,
                               .op = "linear",
                               .target = "fc",
                               .inputs = {{x}},
                               .attrs = {{"in_features", width}}});
  graph.node(fc).formats["weight"] = {"integer", {{"width", std::int64_t{8}}}};
  graph.set_outputs({{fc}});
  return graph;
}

Checkpoint checkpoint() {
  return {.graph = network(),
          .info = {{"model", "net"}, {"epoch", "3"}},
          .extra = {{"optimizer/adam/m/fc.weight", Tensor::full({2, 3}, 0.25)},
                    {"optimizer/adam/step", Tensor::scalar(7, DType::I64)}}};
}

TEST(Checkpoint, EverythingComesBack) {
  const TempFolder folder;
  const Checkpoint saved = checkpoint();
  ASSERT_TRUE(save_checkpoint(folder / "net.ckpt", saved));
  const auto loaded = load_checkpoint(folder / "net.ckpt");
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  EXPECT_EQ(loaded.value().graph, saved.graph);
  EXPECT_EQ(loaded.value().info, saved.info);
  EXPECT_EQ(loaded.value().extra, saved.extra);
}

TEST(Checkpoint, ASingleFlippedBitIsNoticed) {
  const TempFolder folder;
  const fs::path path = folder / "net.ckpt";
  ASSERT_TRUE(save_checkpoint(path, checkpoint()));
  const std::string good = read_file(path).value();
  const std::size_t header = good.rfind('}') + 1;
  for (std::size_t bit = 0; bit < 8 * good.size(); bit += bit < 8 * header ? 13 : 1) {
    std::string damaged = good;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    ASSERT_TRUE(write_file(path, damaged));
    EXPECT_FALSE(load_checkpoint(path)) << "bit " << bit;
  }
}

TEST(Checkpoint, ADamagedWeightIsSaidToBeDamage) {
  const TempFolder folder;
  const fs::path path = folder / "net.ckpt";
  ASSERT_TRUE(save_checkpoint(path, checkpoint()));
  std::string bytes = read_file(path).value();
  bytes.back() ^= 1;
  ASSERT_TRUE(write_file(path, bytes));
  for (const auto& error :
       {load_checkpoint(path).error(), read_weights_file(path, LoadType::Auto).error()}) {
    EXPECT_EQ(error.what,
              cat("'", path.string(), "' is damaged: its checksum is not that of its contents"));
    EXPECT_EQ(error.hint,
              "use another copy of it; if a program changed it on purpose, remove 'chop.checksum' "
              "from its metadata and set 'chop.version' to 1");
  }
}

/// As every checkpoint was written before they had checksums.
TEST(Checkpoint, AFileWithoutAChecksumStillOpens) {
  const TempFolder folder;
  const fs::path path = folder / "net.ckpt";
  ASSERT_TRUE(save_checkpoint(path, checkpoint()));
  std::string bytes = read_file(path).value();
  const std::size_t key = bytes.find("chop.checksum");
  ASSERT_NE(key, std::string::npos);
  bytes.replace(key, 13, "some.thing.is");
  ASSERT_TRUE(write_file(path, bytes));
  EXPECT_EQ(load_checkpoint(path).error().what,
            cat("'", path.string(), "' is damaged: its checksum is missing"));
  const std::size_t version = bytes.find("\"chop.version\":\"2\"");
  ASSERT_NE(version, std::string::npos);
  bytes[version + 16] = '1';
  ASSERT_TRUE(write_file(path, bytes));
  const auto loaded = load_checkpoint(path);
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  EXPECT_EQ(loaded.value().graph, network());
}

/// The length of the header comes first: some begin as a pickle does.
TEST(Checkpoint, HeadersOfAnyLengthAreDistinguishedFromPickles) {
  const TempFolder folder;
  Checkpoint saved = checkpoint();
  for (int length = 0; length < 300; ++length) {
    saved.info["note"] = std::string(static_cast<std::size_t>(length), 'n');
    ASSERT_TRUE(save_checkpoint(folder / "net.ckpt", saved));
    const auto loaded = load_checkpoint(folder / "net.ckpt");
    ASSERT_TRUE(loaded) << length << ": " << to_string(loaded.error());
  }
}

TEST(Checkpoint, EqualContentsGiveEqualBytes) {
  const TempFolder folder;
  ASSERT_TRUE(save_checkpoint(folder / "a", checkpoint()));
  ASSERT_TRUE(save_checkpoint(folder / "b", load_checkpoint(folder / "a").value()));
  EXPECT_EQ(read_file(folder / "a").value(), read_file(folder / "b").value());
}

TEST(Checkpoint, AnyToolCanReadTheWeights) {
  const TempFolder folder;
  ASSERT_TRUE(save_checkpoint(folder / "net.ckpt", checkpoint()));
  const SafetensorsFile file = read_safetensors(folder / "net.ckpt").value();
  EXPECT_EQ(file.tensors[0].first, "fc.weight");
  EXPECT_EQ(file.tensors[0].second, Tensor::full({2, 3}, 0.5));
  EXPECT_EQ(file.metadata.at("chop.version"), "2");
  EXPECT_EQ(file.metadata.at("chop.graph"), to_json(network()));
}

TEST(Checkpoint, RandomGraphsComeBackUnchanged) {
  const TempFolder folder;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Checkpoint saved{.graph = RandomGraph(seed).make()};
    // Names of tensors must be UTF-8 for safetensors, and one is reserved.
    Graph safe(saved.graph.name());
    std::size_t number = 0;
    for (Parameter& parameter : saved.graph.parameters())
      safe.add_parameter({cat("p", number++), parameter.value, parameter.trainable});
    safe.set_outputs({});
    saved.graph = std::move(safe);
    ASSERT_TRUE(save_checkpoint(folder / "g", saved)) << "seed " << seed;
    const auto loaded = load_checkpoint(folder / "g");
    ASSERT_TRUE(loaded) << "seed " << seed << " " << to_string(loaded.error());
    ASSERT_EQ(loaded.value().graph, saved.graph) << "seed " << seed;
  }
}

TEST(Checkpoint, EveryTruncationIsAnError) {
  const TempFolder folder;
  ASSERT_TRUE(save_checkpoint(folder / "net.ckpt", checkpoint()));
  const std::string bytes = read_file(folder / "net.ckpt").value();
  for (std::size_t length = 0; length < bytes.size(); length += 7) {
    const auto loaded = load_checkpoint(folder.write("cut", bytes.substr(0, length)));
    ASSERT_FALSE(loaded) << length;
    ASSERT_FALSE(loaded.error().hint.empty()) << loaded.error().what;
  }
}

TEST(Checkpoint, AForeignFileIsRefused) {
  const TempFolder folder;
  ASSERT_TRUE(write_safetensors(folder / "w", {.metadata = {}, .tensors = {{"w", Tensor()}}}));
  const auto loaded = load_checkpoint(folder / "w");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().what,
            cat("'", (folder / "w").string(),
                "' holds weights but no graph: it is not a checkpoint of ours"));
  EXPECT_FALSE(load_checkpoint(folder.write("text", "hello, this is no tensor")));
  EXPECT_FALSE(load_checkpoint(folder / "nowhere"));
}

/// A checkpoint whose file has been changed.
template <class Change>
Error error_after(Change change) {
  const TempFolder folder;
  EXPECT_TRUE(save_checkpoint(folder / "net.ckpt", checkpoint()));
  SafetensorsFile file = read_safetensors(folder / "net.ckpt").value();
  change(file);
  EXPECT_TRUE(write_safetensors(folder / "net.ckpt", file));
  const auto loaded = load_checkpoint(folder / "net.ckpt");
  EXPECT_FALSE(loaded);
  return loaded ? Error{} : loaded.error();
}

TEST(Checkpoint, MissingAndMisshapenTensorsAreAllListed) {
  const Error error = error_after([](SafetensorsFile& file) {
    file.tensors[0].second = Tensor(DType::F32, {3, 2});
    file.tensors[2].second = file.tensors[2].second.to(DType::F32);
    file.tensors.erase(file.tensors.begin() + 1);
  });
  EXPECT_TRUE(error.what.ends_with("net.ckpt' does not hold the tensors its graph needs"));
  EXPECT_EQ(error.notes,
            (std::vector<std::string>{"fc.weight is f32[3, 2], expected f32[2, 3]",
                                      "missing: fc.bias", "bn.mean is f32[2], expected f64[2]"}));
  EXPECT_EQ(error.hint, "the file is damaged; use another copy or train again");
}

TEST(Checkpoint, UnknownVersionsAreRefused) {
  const Error other = error_after([](SafetensorsFile& f) { f.metadata["chop.version"] = "3"; });
  EXPECT_TRUE(other.what.ends_with("is of version 3; this program reads 1 and 2"));
  const Error none = error_after([](SafetensorsFile& f) { f.metadata.erase("chop.version"); });
  EXPECT_TRUE(none.what.ends_with("is of version unknown; this program reads 1 and 2"));
}

TEST(Checkpoint, ABrokenGraphIsNamed) {
  const Error error = error_after([](SafetensorsFile& f) { f.metadata["chop.graph"] = "{"; });
  EXPECT_EQ(error.what, "the graph is not valid JSON");
  EXPECT_TRUE(error.notes[0].starts_with("in the graph of '"));
}

TEST(Checkpoint, AGraphThatClaimsHugeTensorsCostsNothing) {
  const Error error = error_after([](SafetensorsFile& file) {
    file.metadata["chop.graph"] =
        R"({"version": 1, "name": "g", "parameters": [{"name": "w", "dtype": "f64",)"
        R"( "shape": [4611686018427387904, 4], "trainable": true}], "nodes": [{"name": "output",)"
        R"( "opcode": "output", "op": "output", "target": "output", "inputs": []}]})";
  });
  EXPECT_EQ(error.notes, std::vector<std::string>{"missing: w"});
}

TEST(LoadWeights, TakesAnyFileWithTheRightTensors) {
  const TempFolder folder;
  SafetensorsFile file;
  const Graph trained = network();
  for (const Parameter& parameter : trained.parameters())
    file.tensors.emplace_back(parameter.name, parameter.value);
  ASSERT_TRUE(write_safetensors(folder / "w", file));
  Graph model = trained;
  for (Parameter& parameter : model.parameters()) parameter.value = Tensor(parameter.value.type());
  const auto loaded = load_weights(model, folder / "w");
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  EXPECT_EQ(loaded.value().graph, trained);
}

TEST(LoadWeights, ListsWhatDiffers) {
  const TempFolder folder;
  Graph other = network(4);
  other.add_parameter({.name = "new", .value = Tensor()});
  ASSERT_TRUE(save_checkpoint(folder / "net.ckpt", checkpoint()));
  const auto loaded = load_weights(other, folder / "net.ckpt");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(
      loaded.error().notes,
      (std::vector<std::string>{"fc.weight is f32[2, 3], expected f32[2, 4]", "missing: new"}));
  const Status reverse = check_same_network(network(), other);
  ASSERT_FALSE(reverse);
  EXPECT_EQ(reverse.error().notes.back(), "unexpected: new");
  EXPECT_FALSE(reverse.error().hint.empty());
}

TEST(LoadWeights, ListsAReadableNumberOfDifferences) {
  Graph many("many");
  for (int i = 0; i < 20; ++i) many.add_parameter({.name = cat("p", i), .value = Tensor()});
  const Status status = check_same_network(many, network());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().notes.size(), 9U);
  EXPECT_EQ(status.error().notes.back(), "and 15 more");
}

}  // namespace
}  // namespace chop

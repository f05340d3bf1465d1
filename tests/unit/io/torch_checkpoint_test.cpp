// PyTorch checkpoints: views, names and metadata as they are, and hostile files refused.
#include "io/torch/torch_checkpoint.hpp"

#include <gtest/gtest.h>

#include <ctime>

#include "support/system/files.hpp"
#include "support/text.hpp"
#include "unit/io/torch_builder.hpp"

namespace chop {
namespace {

using namespace std::string_literals;
using testing::floats;
using testing::pickled;
using testing::pickled_dict;
using testing::pickled_tuple;
using testing::PickledTensor;
using testing::stored;
using testing::torch_zip;

Result<TorchCheckpoint> parse(const std::string& bytes) {
  return TorchCheckpoint::parse(std::as_bytes(std::span(bytes)), "x.pt");
}

std::string error_of(const std::string& bytes) {
  const std::clock_t start = std::clock();
  const Result<TorchCheckpoint> checkpoint = parse(bytes);
  EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC);  // of our own time: others may be busy
  return checkpoint ? "accepted" : checkpoint.error().what;
}

/// One tensor named w over a storage of four floats.
std::string with_tensor(const PickledTensor& tensor) {
  return torch_zip(pickled_dict({{"w", pickled(tensor)}}),
                   {stored("archive/data/0", floats({1, 2, 3, 4}))});
}

TEST(TorchCheckpoint, ViewsBecomeRows) {
  const std::string bytes = with_tensor({.elements = 4, .shape = {2, 2}, .strides = {1, 2}});
  const auto checkpoint = parse(bytes);
  ASSERT_TRUE(checkpoint) << to_string(checkpoint.error());
  ASSERT_EQ(checkpoint.value().tensors().size(), 1U);
  const TorchTensor& w = checkpoint.value().tensors()[0];
  EXPECT_EQ(w.name, "w");
  EXPECT_EQ(checkpoint.value().read(w).value(), Tensor::of<float>({2, 2}, {1, 3, 2, 4}));
}

TEST(TorchCheckpoint, OffsetsRepeatsAndEmptyTensors) {
  const auto read = [](const PickledTensor& tensor) {
    const std::string bytes = with_tensor(tensor);
    const auto checkpoint = parse(bytes);
    EXPECT_TRUE(checkpoint) << to_string(checkpoint.error());
    return checkpoint.value().read(checkpoint.value().tensors()[0]).value();
  };
  EXPECT_EQ(read({.elements = 4, .offset = 3}), Tensor::of<float>({}, {4}));
  EXPECT_EQ(read({.elements = 4, .offset = 2, .shape = {2}, .strides = {1}}),
            Tensor::of<float>({2}, {3, 4}));
  EXPECT_EQ(read({.elements = 4, .offset = 1, .shape = {3}, .strides = {0}}),
            Tensor::of<float>({3}, {2, 2, 2}));
  EXPECT_EQ(read({.elements = 4, .offset = 4, .shape = {0, 7}, .strides = {7, 1}}),
            Tensor(DType::F32, {0, 7}));
  EXPECT_EQ(read({.elements = 4, .shape = {1, 4}, .strides = {9'000'000'000'000'000'000, 1}}),
            Tensor::of<float>({1, 4}, {1, 2, 3, 4}));
}

TEST(TorchCheckpoint, TensorsThatLeaveTheirStorageAreRefused) {
  const std::string leaves = " leaves the 4 elements of storage '0'";
  EXPECT_EQ(error_of(with_tensor({.elements = 4, .shape = {5}, .strides = {1}})),
            "shape [5] with strides [1] and offset 0" + leaves);
  EXPECT_EQ(error_of(with_tensor({.elements = 4, .offset = 1, .shape = {2, 2}, .strides = {2, 1}})),
            "shape [2, 2] with strides [2, 1] and offset 1" + leaves);
  const long long huge = 4'611'686'018'427'387'904;
  EXPECT_EQ(error_of(with_tensor({.elements = 4, .shape = {3}, .strides = {huge}})),
            "shape [3] with strides [4611686018427387904] and offset 0" + leaves);
  EXPECT_EQ(error_of(with_tensor({.elements = 4, .shape = {huge, huge}, .strides = {0, 0}})),
            "shape [4611686018427387904, 4611686018427387904] is larger than any file");
  EXPECT_EQ(error_of(with_tensor({.elements = 4, .shape = {-1}, .strides = {1}})),
            "the shape and strides of a tensor are not whole numbers of one rank");
  EXPECT_EQ(error_of(with_tensor({.elements = 4, .offset = -1, .shape = {1}, .strides = {1}})),
            "the offset of a tensor is not a whole number");
}

TEST(TorchCheckpoint, StoragesMustBeInTheFile) {
  const std::string bad = "'x.pt' is not a readable PyTorch checkpoint: ";
  EXPECT_EQ(error_of(with_tensor({.elements = 5, .shape = {5}, .strides = {1}})),
            bad + "storage '0' should have 20 bytes and has 16");
  EXPECT_EQ(error_of(with_tensor({.key = "1", .elements = 4})), bad + "it has no storage '1'");
  EXPECT_EQ(error_of(with_tensor({.elements = 4'611'686'018'427'387'904})),
            "'x.pt': storage '0' claims 4611686018427387904 elements");
}

TEST(TorchCheckpoint, RepeatsWithoutEndAreRefused) {
  EXPECT_NE(error_of(with_tensor({.elements = 4, .shape = {1'000'000'000'000}, .strides = {0}}))
                .find("its tensors repeat their elements up to more than 67108864 bytes"),
            std::string::npos);
}

TEST(TorchCheckpoint, OtherDtypesAreRefusedByName) {
  EXPECT_EQ(error_of(with_tensor({.elements = 2, .type = "ComplexFloatStorage"})),
            "'x.pt' is refused: it asks for torch.ComplexFloatStorage");
  EXPECT_EQ(error_of(with_tensor({.elements = 2, .type = "QInt8Storage"})),
            "'x.pt' is refused: it asks for torch.QInt8Storage");
}

TEST(TorchCheckpoint, PicklesThatWouldRunCodeAreRefused) {
  EXPECT_EQ(error_of(torch_zip("cos\nsystem\n(" + pickled("touch x") + "tR")),
            "'x.pt' is refused: it asks for os.system");
  EXPECT_EQ(error_of(torch_zip("c__builtin__\neval\n(" + pickled("1") + "tR")),
            "'x.pt' is refused: it asks for __builtin__.eval");
  EXPECT_EQ(error_of(torch_zip("ctorch._utils\n_import_dotted_name\n(" + pickled("os") + "tR")),
            "'x.pt' is refused: it asks for torch._utils._import_dotted_name");
  EXPECT_EQ(error_of(torch_zip("ctorch\ndevice\n(" + pickled("cpu") + "tR)R")),
            "'x.pt' is refused: it calls something that is not a plain name");
  EXPECT_EQ(error_of(torch_zip(std::string(50'000, ']') + std::string(49'999, 'a'))),
            "'x.pt' is refused: its values are nested deeper than 200");
}

TEST(TorchCheckpoint, DictsThatHoldEachOtherWithoutEndAreRefused) {
  // Each level is a dict with ten keys that all hold the level before: 10^12 leaves.
  std::string bomb = "}" + pickled("leaf") + "Nsq\x01";
  for (char level = 2; level < 14; ++level) {
    bomb += "}(";
    for (int i = 0; i < 10; ++i)
      bomb += pickled(std::to_string(i)) + "h" + static_cast<char>(level - 1);
    bomb += "uq"s + level;
  }
  EXPECT_EQ(error_of(torch_zip(bomb)),
            "'x.pt' is refused: its values hold each other more than 500,000 times over");
  // Fewer leaves, but each with a long name and a long text.
  std::string long_names = "}" + pickled("leaf") + pickled(std::string(4000, 't')) + "sq\x01";
  for (char level = 2; level < 7; ++level) {
    long_names += "}(";
    for (char i = 'a'; i < 'k'; ++i)
      long_names += pickled(std::string(500, i)) + "h" + static_cast<char>(level - 1);
    long_names += "uq"s + level;
  }
  EXPECT_EQ(error_of(torch_zip(long_names)),
            "'x.pt' is refused: its names and texts take more than 16777216 bytes");
  EXPECT_EQ(error_of(torch_zip("}q\x01" + pickled("a") + "h\x01s")),
            "'x.pt' is refused: its values hold themselves");
}

TEST(TorchCheckpoint, HostileArchivesAreRefused) {
  const std::string bad = "'x.pt' is not a readable zip archive: ";
  EXPECT_EQ(error_of(torch_zip("N", {stored("../../etc/passwd", "x")})),
            bad + "entry '../../etc/passwd' leads out of the archive with '..'");
  EXPECT_EQ(error_of(torch_zip("N", {stored("archive/data.pkl", "x")})),
            bad + "two entries are named 'archive/data.pkl'");
  const std::string zeros(80 << 20, '\0');
  EXPECT_NE(error_of(torch_zip("N", {testing::deflated("archive/data/0", zeros)}))
                .find("it would unpack to more than 67108864 bytes"),
            std::string::npos);
  EXPECT_EQ(error_of(testing::zip_of({stored("x.npy", "x")})),
            "'x.pt' is not a readable PyTorch checkpoint: it is a .npz file of arrays");
  EXPECT_EQ(error_of(testing::zip_of({stored("a/b", "x")})),
            "'x.pt' is not a readable PyTorch checkpoint: the archive has no data.pkl");
  EXPECT_EQ(error_of(torch_zip("N", {stored("archive/constants.pkl", "x")})),
            "'x.pt' is a TorchScript program, not a checkpoint");
  EXPECT_EQ(error_of(torch_zip("N", {stored("archive/byteorder", "big")})),
            "'x.pt' is not a readable PyTorch checkpoint: its byte order is 'big', not little");
}

TEST(TorchCheckpoint, EveryTruncationIsAnError) {
  const std::string whole = with_tensor({.elements = 4, .shape = {4}, .strides = {1}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    EXPECT_FALSE(parse(cut)) << size;
  }
}

TEST(TorchCheckpoint, LightningsStateDictIsTakenAndItsPrefixLeftOut) {
  const std::string tensor = pickled(PickledTensor{.elements = 4, .shape = {4}, .strides = {1}});
  const std::string bytes = torch_zip(
      pickled_dict({{"epoch", pickled(3)},
                    {"pytorch-lightning_version", pickled("2.1.3")},
                    {"state_dict", pickled_dict({{"model.a", tensor}, {"model.b.c", tensor}})},
                    {"optimizer_states", pickled_dict({{"m", tensor}})},
                    {"hyper_parameters", pickled_dict({{"lr", "G\x3f\xd0\0\0\0\0\0\0"s}})}}),
      {stored("archive/data/0", floats({1, 2, 3, 4}))});
  const auto checkpoint = parse(bytes);
  ASSERT_TRUE(checkpoint) << to_string(checkpoint.error());
  EXPECT_TRUE(checkpoint.value().is_lightning());
  EXPECT_EQ(checkpoint.value().prefix(), "model.");
  ASSERT_EQ(checkpoint.value().tensors().size(), 2U);
  EXPECT_EQ(checkpoint.value().tensors()[0].name, "a");
  EXPECT_EQ(checkpoint.value().tensors()[1].name, "b.c");
  EXPECT_EQ(checkpoint.value().metadata(),
            (std::map<std::string, std::string>{{"epoch", "3"},
                                                {"hyper_parameters.lr", "0.25"},
                                                {"pytorch-lightning_version", "2.1.3"}}));
  EXPECT_EQ(
      checkpoint.value().notes(),
      (std::vector<std::string>{"its 'state_dict' is taken", "tensors not taken: optimizer_states",
                                "every name began with 'model.', which is left out"}));
}

TEST(TorchCheckpoint, NestedNamesAreJoinedAndPrefixesNeedEveryName) {
  const std::string tensor = pickled(PickledTensor{.elements = 4, .shape = {4}, .strides = {1}});
  const auto names = [&](const std::string& pickle) {
    const std::string bytes = torch_zip(pickle, {stored("archive/data/0", floats({1, 2, 3, 4}))});
    const auto checkpoint = parse(bytes);
    EXPECT_TRUE(checkpoint) << to_string(checkpoint.error());
    std::vector<std::string> all;
    if (checkpoint)
      for (const TorchTensor& each : checkpoint.value().tensors()) all.push_back(each.name);
    return join(all, " ");
  };
  EXPECT_EQ(names(pickled_dict({{"a", pickled_dict({{"b", tensor}})}, {"c", tensor}})), "a.b c");
  EXPECT_EQ(names(pickled_dict({{"module.model.a", tensor}})), "a");
  EXPECT_EQ(names(pickled_dict({{"module.a", tensor}, {"b", tensor}})), "module.a b");
  EXPECT_EQ(names("(" + tensor + tensor + "l"), "0 1");
  EXPECT_EQ(names(tensor), "tensor");
  EXPECT_EQ(
      error_of(torch_zip(pickled_dict({{"a.b", tensor}, {"a", pickled_dict({{"b", tensor}})}}),
                         {stored("archive/data/0", floats({1, 2, 3, 4}))})),
      "'x.pt' is refused: two tensors are named 'a.b'");
}

TEST(TorchCheckpoint, OldStreamsAreReadAndTheirLengthsChecked) {
  const std::string magic = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
  const std::string front =
      magic + "\x80\x02M\xe9\x03." + "\x80\x02" + pickled_dict({{"little_endian", "\x88"}}) + ".";
  const std::string object =
      "\x80\x02" +
      pickled_dict({{"w", pickled(PickledTensor{
                              .key = "7", .elements = 2, .shape = {2}, .strides = {1}})}}) +
      ".";
  const std::string keys = "\x80\x02](" + pickled("7") + "e.";
  const std::string data = "\x02\0\0\0\0\0\0\0"s + floats({5, 6});
  const std::string whole = front + object + keys + data;
  const auto checkpoint = parse(whole);
  ASSERT_TRUE(checkpoint) << to_string(checkpoint.error());
  EXPECT_EQ(checkpoint.value().read(checkpoint.value().tensors()[0]).value(),
            Tensor::of<float>({2}, {5, 6}));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    EXPECT_FALSE(parse(cut)) << size;
  }
  const std::string bad = "'x.pt' is not a readable PyTorch checkpoint: ";
  EXPECT_EQ(error_of(front + object + keys + "\x03\0\0\0\0\0\0\0"s + floats({5, 6})),
            bad + "storage '7' has 3 elements in one place and 2 in another");
  EXPECT_EQ(error_of(front + object + "\x80\x02]."), bad + "it has no storage '7'");
  EXPECT_EQ(error_of("\x80\x02K\x01."), bad + "it is a pickle, but not one that torch.save wrote");
  EXPECT_EQ(error_of("hello, world"), bad + "it is neither a zip archive nor a pickle");
}

}  // namespace
}  // namespace chop

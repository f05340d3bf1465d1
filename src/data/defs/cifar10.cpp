// cifar10: small colour photographs, 3 x 32 x 32, from the binary batches, unpacked or in their
// archive.
//
// Pixels become 0 .. 1 and are then normalised with ImageNet's mean and deviation per channel,
// as the reference system does for its test images. Nothing is augmented.
#include <cstring>

#include "data/images.hpp"
#include "data/registry.hpp"
#include "data/splits.hpp"
#include "io/archives/tar.hpp"
#include "io/tables/cifar10.hpp"

namespace chop::data::datasets::cifar10 {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kArchive = "cifar-10-binary.tar.gz";
constexpr std::string_view kTestBatch = "test_batch.bin";
constexpr int kTrainBatches = 5;
constexpr std::array<float, 3> kMean = {0.485F, 0.456F, 0.406F};
constexpr std::array<float, 3> kDeviation = {0.229F, 0.224F, 0.225F};

std::vector<std::string> class_names() {
  return {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
}

std::string train_batch(int number) {
  return cat("data_batch_", number, ".bin");
}

/// The batches by name: files of a folder, or of an archive.
struct Batches {
  fs::path folder;
  fs::path archive;  ///< empty: the files are in the folder
  TarFiles files = {};

  Result<Split> read(std::string_view name, const DataOptions& options) const;
};

Result<Split> Batches::read(std::string_view name, const DataOptions& options) const {
  const auto split = [&](const Cifar10Batch& batch) {
    return images_to_split(batch.images, batch.labels, kMean, kDeviation, options.rows,
                           threads_of(options));
  };
  if (archive.empty()) {
    CH_TRY(const Cifar10Batch batch, read_cifar10(folder / name));
    return split(batch);
  }
  for (const auto& [path, bytes] : files) {
    if (without_folders(path) != name) continue;
    CH_TRY(const Cifar10Batch batch,
           parse_cifar10(std::as_bytes(std::span(bytes)), cat(archive.string(), ": ", path)));
    return split(batch);
  }
  return Error{.what = cat("data set 'cifar10': no file '", name, "' in '", archive.string(), "'"),
               .hint = "`ch data get cifar10 --again` downloads the archive again"};
}

Result<Batches> find_batches(const DataOptions& options) {
  std::error_code ignored;
  const fs::path given = options.path.empty() ? dataset_folder("cifar10") : options.path;
  Batches batches{.folder = given};
  const bool is_file = fs::is_regular_file(given, ignored);
  if (is_file) batches.folder = given.has_parent_path() ? given.parent_path() : ".";
  if (fs::is_directory(batches.folder / "cifar-10-batches-bin", ignored))
    batches.folder /= "cifar-10-batches-bin";
  if (is_file && given.extension() != ".bin")
    batches.archive = given;
  else if (!fs::is_regular_file(batches.folder / kTestBatch, ignored) &&
           fs::is_regular_file(given / kArchive, ignored))
    batches.archive = given / kArchive;
  if (!batches.archive.empty()) {
    TarOptions wanted{.files = {std::string(kTestBatch)}};
    for (int i = 1; i <= kTrainBatches; ++i) wanted.files.push_back(train_batch(i));
    CH_TRY(batches.files, read_tar(batches.archive, wanted));
  } else if (!fs::is_regular_file(batches.folder / kTestBatch, ignored)) {
    return Error{.what = cat("data set 'cifar10': no file '", kTestBatch, "' in '",
                             batches.folder.string(), "'"),
                 .hint =
                     "`ch data get cifar10` downloads cifar-10-binary.tar.gz; or put it there, "
                     "packed or unpacked (data_batch_1.bin .. data_batch_5.bin, "
                     "test_batch.bin), or name its folder with --data"};
  }
  return batches;
}

Split concatenate(const std::vector<Split>& parts) {
  std::int64_t rows = 0;
  for (const Split& part : parts) rows += part.rows();
  Split all{.x = Tensor(DType::F32, {rows, 3, 32, 32}), .y = Tensor(DType::I64, {rows})};
  std::byte* x = all.x.mutable_bytes();
  std::byte* y = all.y.mutable_bytes();
  for (const Split& part : parts) {
    std::memcpy(x, part.x.bytes(), part.x.size_in_bytes());
    std::memcpy(y, part.y.bytes(), part.y.size_in_bytes());
    x += part.x.size_in_bytes();
    y += part.y.size_in_bytes();
  }
  return all;
}

Result<Dataset> load(const DataOptions& options) {
  if (options.rows < 0) return Error{.what = cat("cannot take ", options.rows, " rows")};
  CH_TRY(const Batches batches, find_batches(options));
  std::vector<Split> parts;
  for (int i = 1; i <= kTrainBatches; ++i) {
    CH_TRY(parts.emplace_back(), batches.read(train_batch(i), options));
  }
  Split train = concatenate(parts);
  parts.clear();
  Dataset dataset{.name = "cifar10",
                  .class_names = class_names(),
                  .sample_shape = {3, 32, 32},
                  .num_classes = 10};
  CH_TRY(dataset.test, batches.read(kTestBatch, options));
  CH_CHECK(split_validation_shuffled(dataset, std::move(train), options));
  return dataset;
}

}  // namespace

DatasetDef define() {
  return {
      .name = "cifar10",
      .doc = "photographs, 3x32x32 normalised as ImageNet, from the binary batches",
      .sample_shape = {3, 32, 32},
      .num_classes = 10,
      .class_names = class_names(),
      .sources = {{.file = std::string(kArchive),
                   .url = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
                   .sha256 = "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
                   .bytes = 170'052'171,
                   .starts_with = "\x1F\x8B",
                   .instead = {"test_batch.bin", "cifar-10-batches-bin/test_batch.bin"}}},
      .takes_folders = true,
      .load = load,
  };
}

}  // namespace chop::data::datasets::cifar10

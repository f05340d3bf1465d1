// cifar10: small colour photographs, 3 x 32 x 32, from the binary batches.
//
// Pixels become 0 .. 1 and are then normalised with ImageNet's mean and deviation per channel,
// as the reference system does for its test images. Nothing is augmented.
#include <cstring>

#include "data/images.hpp"
#include "data/registry.hpp"
#include "data/splits.hpp"
#include "io/cifar10.hpp"
#include "support/system/files.hpp"

namespace chop::data::datasets::cifar10 {
namespace {

namespace fs = std::filesystem;

constexpr std::array<float, 3> kMean = {0.485F, 0.456F, 0.406F};
constexpr std::array<float, 3> kDeviation = {0.229F, 0.224F, 0.225F};

std::vector<std::string> class_names() {
  return {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
}

Result<Split> read_batch(const fs::path& path, const DataOptions& options) {
  CH_TRY(const Cifar10Batch batch, read_cifar10(path));
  return images_to_split(batch.images, batch.labels, kMean, kDeviation, options.rows,
                         threads_of(options));
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
  fs::path folder = options.path.empty() ? cache_folder() / "dataset" / "cifar10" : options.path;
  std::error_code ignored;
  if (fs::is_regular_file(folder, ignored))
    folder = folder.has_parent_path() ? folder.parent_path() : ".";
  if (fs::is_directory(folder / "cifar-10-batches-bin", ignored)) folder /= "cifar-10-batches-bin";
  if (options.rows < 0) return Error{.what = cat("cannot take ", options.rows, " rows")};
  if (!fs::is_regular_file(folder / "test_batch.bin", ignored))
    return Error{
        .what = cat("data set 'cifar10': no file 'test_batch.bin' in '", folder.string(), "'"),
        .hint =
            "unpack cifar-10-binary.tar.gz there (data_batch_1.bin .. "
            "data_batch_5.bin, test_batch.bin), or name its folder"};
  std::vector<Split> parts;
  for (int i = 1; i <= 5; ++i) {
    const fs::path path = folder / cat("data_batch_", i, ".bin");
    CH_TRY(parts.emplace_back(), read_batch(path, options));
  }
  Split train = concatenate(parts);
  parts.clear();
  Dataset dataset{.name = "cifar10",
                  .class_names = class_names(),
                  .sample_shape = {3, 32, 32},
                  .num_classes = 10};
  CH_TRY(dataset.test, read_batch(folder / "test_batch.bin", options));
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
      .load = load,
  };
}

}  // namespace chop::data::datasets::cifar10

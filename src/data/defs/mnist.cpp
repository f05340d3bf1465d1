// mnist: handwritten digits, 28 x 28, from the four idx files (gzipped or not).
//
// Pixels are scaled to 0 .. 1 as torchvision's ToTensor does; the reference system multiplies
// by 255 again for one of its models, which we leave to the model. Files of the same layout
// (Fashion-MNIST) work as well.
#include "data/images.hpp"
#include "data/registry.hpp"
#include "data/rows.hpp"
#include "data/splits.hpp"
#include "io/idx.hpp"
#include "support/system/files.hpp"

namespace chop::data::datasets::mnist {
namespace {

namespace fs = std::filesystem;

/// NAME-idx3-ubyte or NAME.idx3-ubyte, with or without .gz.
Result<fs::path> find_file(const fs::path& folder, const std::string& name, char rank) {
  std::error_code ignored;
  for (const char* joint : {"-idx", ".idx"}) {
    for (const char* end : {"-ubyte", "-ubyte.gz"}) {
      const fs::path path = folder / cat(name, joint, rank, end);
      if (fs::is_regular_file(path, ignored)) return path;
    }
  }
  return Error{.what = cat("data set 'mnist': no file '", name, "-idx", rank, "-ubyte.gz' in '",
                           folder.string(), "'"),
               .hint =
                   "put the four files train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz, "
                   "t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz there, or name "
                   "their folder"};
}

Result<Split> read_part(const fs::path& folder, const std::string& part,
                        const DataOptions& options) {
  CH_TRY(const fs::path image_file, find_file(folder, part + "-images", '3'));
  CH_TRY(const fs::path label_file, find_file(folder, part + "-labels", '1'));
  CH_TRY(const Tensor images, read_idx(image_file, options.rows));
  CH_TRY(const Tensor stored, read_idx(label_file, options.rows));
  if (images.dtype() != DType::U8 || images.rank() != 3 || images.dim(1) != 28 ||
      images.dim(2) != 28 || images.dim(0) == 0)
    return Error{.what = cat("'", image_file.string(), "' holds ", name_of(images.dtype()), " ",
                             to_string(images.shape()), ", not 28 x 28 images of bytes")};
  CH_TRY(const Tensor labels, labels_from(stored, images.dim(0), label_file.string()));
  if (count_classes(labels.data<std::int64_t>()) > 10)
    return Error{.what = cat("'", label_file.string(), "' holds labels above 9")};
  return images_to_split(images.reshaped({images.dim(0), 1, 28, 28}), labels, {}, {}, options.rows,
                         threads_of(options));
}

Result<Dataset> load(const DataOptions& options) {
  fs::path folder = options.path.empty() ? cache_folder() / "dataset" / "mnist" : options.path;
  std::error_code ignored;
  if (fs::is_regular_file(folder, ignored))
    folder = folder.has_parent_path() ? folder.parent_path() : ".";
  if (options.rows < 0) return Error{.what = cat("cannot take ", options.rows, " rows")};
  CH_TRY(Split train, read_part(folder, "train", options));
  Dataset dataset{.name = "mnist",
                  .class_names = numbered_classes(10),
                  .sample_shape = {1, 28, 28},
                  .num_classes = 10};
  CH_TRY(dataset.test, read_part(folder, "t10k", options));
  CH_CHECK(split_validation_shuffled(dataset, std::move(train), options));
  return dataset;
}

}  // namespace

DatasetDef define() {
  return {
      .name = "mnist",
      .doc = "handwritten digits, 1x28x28 in 0..1, from idx files (gzipped or not)",
      .sample_shape = {1, 28, 28},
      .num_classes = 10,
      .class_names = numbered_classes(10),
      .load = load,
  };
}

}  // namespace chop::data::datasets::mnist

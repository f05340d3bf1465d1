#include "data/idx_images.hpp"

#include "data/images.hpp"
#include "data/rows.hpp"
#include "data/splits.hpp"
#include "io/tables/idx.hpp"

namespace chop::data {
namespace {

namespace fs = std::filesystem;

/// NAME-idx3-ubyte or NAME.idx3-ubyte, with or without .gz.
std::vector<std::string> idx_names(const std::string& part, char rank) {
  std::vector<std::string> names;
  for (const char* end : {"-ubyte", "-ubyte.gz"})
    for (const char* joint : {"-idx", ".idx"}) names.push_back(cat(part, joint, rank, end));
  return names;
}

Result<fs::path> find_idx(const std::string& name, const fs::path& folder, const std::string& part,
                          char rank) {
  std::error_code ignored;
  for (const std::string& file : idx_names(part, rank))
    if (fs::is_regular_file(folder / file, ignored)) return folder / file;
  return Error{.what = cat("data set '", name, "': no file '", part, "-idx", rank,
                           "-ubyte.gz' in '", folder.string(), "'"),
               .hint = cat("`ch data get ", name,
                           "` downloads the four files train-images-idx3-ubyte.gz, "
                           "train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz and "
                           "t10k-labels-idx1-ubyte.gz; or put them there, or name their folder "
                           "with --data")};
}

Result<Split> read_idx_part(const std::string& name, const fs::path& folder,
                            const std::string& part, const DataOptions& options) {
  CH_TRY(const fs::path image_file, find_idx(name, folder, part + "-images", '3'));
  CH_TRY(const fs::path label_file, find_idx(name, folder, part + "-labels", '1'));
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

}  // namespace

Result<Dataset> load_idx_images(const std::string& name, std::vector<std::string> class_names,
                                const DataOptions& options) {
  fs::path folder = options.path.empty() ? dataset_folder(name) : options.path;
  std::error_code ignored;
  if (fs::is_regular_file(folder, ignored))
    folder = folder.has_parent_path() ? folder.parent_path() : ".";
  if (options.rows < 0) return Error{.what = cat("cannot take ", options.rows, " rows")};
  CH_TRY(Split train, read_idx_part(name, folder, "train", options));
  Dataset dataset{.name = name,
                  .class_names = std::move(class_names),
                  .sample_shape = {1, 28, 28},
                  .num_classes = 10};
  CH_TRY(dataset.test, read_idx_part(name, folder, "t10k", options));
  CH_CHECK(split_validation_shuffled(dataset, std::move(train), options));
  return dataset;
}

std::vector<DataSource> idx_sources(const std::string& url,
                                    const std::array<IdxDownload, 4>& files) {
  std::vector<DataSource> sources;
  for (const std::string part : {"train", "t10k"})
    for (const char rank : {'3', '1'}) {
      const std::string name = part + (rank == '3' ? "-images" : "-labels");
      const IdxDownload& known = files[sources.size()];
      DataSource source{.file = cat(name, "-idx", rank, "-ubyte.gz"),
                        .sha256 = known.sha256,
                        .bytes = known.bytes,
                        .starts_with = "\x1F\x8B",
                        .instead = idx_names(name, rank)};
      source.url = url + source.file;
      sources.push_back(std::move(source));
    }
  return sources;
}

}  // namespace chop::data

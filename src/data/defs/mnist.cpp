// mnist: handwritten digits, 28 x 28, from the four idx files (gzipped or not).
//
// The reference system multiplies the pixels by 255 again for one of its models, which we leave to
// the model. The sums are those of the files as they were first published.
#include "data/idx_images.hpp"
#include "data/rows.hpp"

namespace chop::data::datasets::mnist {
namespace {

Result<Dataset> load(const DataOptions& options) {
  return load_idx_images("mnist", numbered_classes(10), options);
}

std::vector<DataSource> sources() {
  return idx_sources(
      "https://storage.googleapis.com/cvdf-datasets/mnist/",
      {{{"440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609", 9'912'422},
        {"3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c", 28'881},
        {"8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6", 1'648'877},
        {"f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6", 4'542}}});
}

}  // namespace

DatasetDef define() {
  return {
      .name = "mnist",
      .doc = "handwritten digits, 1x28x28 in 0..1, from idx files (gzipped or not)",
      .sample_shape = {1, 28, 28},
      .num_classes = 10,
      .class_names = numbered_classes(10),
      .sources = sources(),
      .takes_folders = true,
      .load = load,
  };
}

}  // namespace chop::data::datasets::mnist

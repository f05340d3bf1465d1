// fashion_mnist: articles of clothing, 28 x 28, in the format of MNIST (Xiao et al., 2017).
#include "data/idx_images.hpp"

namespace chop::data::datasets::fashion_mnist {
namespace {

std::vector<std::string> class_names() {
  return {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
          "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
}

Result<Dataset> load(const DataOptions& options) {
  return load_idx_images("fashion_mnist", class_names(), options);
}

std::vector<DataSource> sources() {
  return idx_sources(
      "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
      {{{"3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84", 26'421'880},
        {"a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845", 29'515},
        {"346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073", 4'422'102},
        {"67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5", 5'148}}});
}

}  // namespace

DatasetDef define() {
  return {
      .name = "fashion_mnist",
      .doc = "articles of clothing, 1x28x28 in 0..1, from idx files (gzipped or not)",
      .sample_shape = {1, 28, 28},
      .num_classes = 10,
      .class_names = class_names(),
      .sources = sources(),
      .load = load,
  };
}

}  // namespace chop::data::datasets::fashion_mnist

// larger: of two normally distributed numbers, is the second the larger one?
#include "data/registry.hpp"
#include "support/rng.hpp"

namespace chop::data::datasets::larger {
namespace {

Split draw(std::string_view name, std::int64_t rows) {
  Split split{.x = Tensor(DType::F32, {rows, 2}), .y = Tensor(DType::I64, {rows})};
  const Stream stream(1, name);
  const std::span<float> x = split.x.mutable_data<float>();
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(stream.normal(i));
  for (std::size_t i = 0; i < x.size() / 2; ++i)
    split.y.mutable_data<std::int64_t>()[i] = x[2 * i + 1] > x[2 * i] ? 1 : 0;
  return split;
}

Result<Dataset> load(const DataOptions& options) {
  const std::int64_t rows = options.rows == 0 ? 1000 : options.rows;
  return Dataset{.name = "larger",
                 .train = draw("train", rows),
                 .validation = draw("validation", rows),
                 .test = draw("test", rows),
                 .class_names = {"first", "second"},
                 .sample_shape = {2},
                 .num_classes = 2,
                 .synthetic = true};
}

}  // namespace

DatasetDef define() {
  return {.name = "larger",
          .doc = "generated: which of two numbers is larger?",
          .sample_shape = {2},
          .num_classes = 2,
          .class_names = {"first", "second"},
          .load = load};
}

}  // namespace chop::data::datasets::larger

// toy_tiny: is the sum of four numbers positive?
//
// x = (rand(n, 4) - 0.5) * 2 as numpy's RandomState draws it, with seeds 0, 1 and 2 for
// train, validation and test; y = sum(x) > 0.
#include "data/numpy_random.hpp"
#include "data/registry.hpp"
#include "data/splits.hpp"

namespace chop::data::datasets::toy_tiny {
namespace {

Split generate(std::uint32_t seed, std::int64_t rows) {
  NumpyRandom random(seed);
  Split split{.x = Tensor(DType::F32, {rows, 1, 2, 2}), .y = Tensor(DType::I64, {rows})};
  const std::span<float> x = split.x.mutable_data<float>();
  const std::span<std::int64_t> y = split.y.mutable_data<std::int64_t>();
  for (std::size_t i = 0; i < y.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const double value = (random.random_sample() - 0.5) * 2;
      sum += value;
      x[4 * i + j] = static_cast<float>(value);
    }
    y[i] = sum > 0 ? 1 : 0;
  }
  return split;
}

Result<Dataset> load(const DataOptions& options) {
  if (!options.path.empty())
    return Error{.what = "data set 'toy_tiny' is generated and takes no file",
                 .hint = "give the file itself as the data set"};
  if (options.rows < 0) return Error{.what = cat("cannot generate ", options.rows, " rows")};
  const std::int64_t rows = options.rows == 0 ? 10'240 : options.rows;
  CH_TRY([[maybe_unused]] const std::int64_t checked, validation_rows(1 << 30, options));
  Dataset dataset{.name = "toy_tiny",
                  .train = generate(0, rows),
                  .test = generate(2, rows),
                  .class_names = {"negative", "positive"},
                  .sample_shape = {1, 2, 2},
                  .num_classes = 2,
                  .synthetic = true};
  dataset.validation = options.validation == Validation::Train ? dataset.train : generate(1, rows);
  return dataset;
}

}  // namespace

DatasetDef define() {
  return {
      .name = "toy_tiny",
      .doc = "generated: is the sum of a 1x2x2 image positive?",
      .sample_shape = {1, 2, 2},
      .num_classes = 2,
      .class_names = {"negative", "positive"},
      .load = load,
  };
}

}  // namespace chop::data::datasets::toy_tiny

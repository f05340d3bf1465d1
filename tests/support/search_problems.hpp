// Networks, rows and configurations for tests of the search.
#pragma once

#include "config/toml.hpp"
#include "models/registry.hpp"
#include "search/evaluation/problem.hpp"
#include "support/rng.hpp"

namespace chop::test {

inline Split random_rows(std::int64_t rows, const Shape& sample, std::int64_t classes,
                         std::uint64_t seed) {
  const Stream stream(seed, "rows");
  Shape shape = {rows};
  shape.insert(shape.end(), sample.begin(), sample.end());
  std::vector<float> x(static_cast<std::size_t>(numel(shape)));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(stream.normal(i));
  std::vector<std::int64_t> y(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = static_cast<std::int64_t>(
        Stream(seed, "labels").below(i, static_cast<std::uint64_t>(classes)));
  return {.x = Tensor::of<float>(shape, std::span<const float>(x)),
          .y = Tensor::of<std::int64_t>({rows}, std::span<const std::int64_t>(y))};
}

inline Dataset random_jets(std::int64_t rows = 600) {
  Dataset data{.name = "random", .sample_shape = {16}, .num_classes = 5};
  data.train = random_rows(rows, {16}, 5, 1);
  data.validation = random_rows(rows, {16}, 5, 2);
  data.test = random_rows(rows, {16}, 5, 3);
  return data;
}

inline Graph zoo(const std::string& name, Shape sample = {16}, std::int64_t classes = 5) {
  return build_model(name, {.sample_shape = std::move(sample), .num_classes = classes, .seed = 7})
      .value();
}

/// The [search] table of a TOML text, read.
inline Result<SearchConfig> search_config(const std::string& toml) {
  CH_TRY(const Tree file, parse_toml(toml, "search.toml"));
  const Tree& tree = file["search"];
  return read_search_config(tree, "search.toml", {});
}

/// Widths of the one linear layer of jsc-tiny: 18 points.
inline const char* const kTinySpace = R"(
[search.search_space]
name = "graph/quantize/mixed_precision_ptq"
[search.search_space.setup]
by = "name"
[search.search_space.seed.seq_blocks_2.config]
name = ["integer"]
data_in_width = [4, 8]
data_in_frac_width = ["NA"]
weight_width = [2, 4, 8]
weight_frac_width = ["NA"]
bias_width = [2, 4, 8]
bias_frac_width = ["NA"]
)";

inline const char* const kTwoMetrics = R"(
[search.strategy.metrics.accuracy]
direction = "maximize"
[search.strategy.metrics.average_bitwidth]
scale = 0.2
direction = "minimize"
)";

}  // namespace chop::test

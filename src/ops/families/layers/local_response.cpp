#include "ops/families/layers/local_response.hpp"

#include "ops/core/checks.hpp"

namespace chop::ops {

std::vector<double> response_sums(const Call& call, const Shape& shape, std::span<const double> x) {
  const Lanes lanes = lanes_of(shape, 1);
  const auto size = call.integer("size");
  std::vector<double> squares(x.size());
  for (std::size_t o = 0; o < lanes.outer; ++o)
    for_each_neighbour(shape[1], size, [&](std::size_t c, std::size_t j) {
      for (std::size_t i = 0; i < lanes.inner; ++i) {
        const double value = x[lanes.at(o, j, i)];
        squares[lanes.at(o, c, i)] += value * value;
      }
    });
  const double scale = call.real("alpha") / static_cast<double>(size);
  for (double& sum : squares) sum = call.real("k") + scale * sum;
  return squares;
}

std::int64_t response_terms(const Call& call, const Shape& shape) {
  std::int64_t neighbours = 0;
  for_each_neighbour(shape[1], call.integer("size"), [&](auto, auto) { ++neighbours; });
  return neighbours * shape[0] * product(shape, 2);
}

std::vector<Field> response_attrs() {
  return {{"size", 1, "how many channels a window has", true},
          {"alpha", 1e-4, "scale of the mean of squares"},
          {"beta", 0.75, "the exponent"},
          {"k", 1.0, "added to the scaled mean of squares"}};
}

Status check_response(const TypedCall& call, const Shape& x) {
  CH_CHECK(need_real(call));
  CH_CHECK(check_at_least(call, "size", 1));
  if (x.size() >= 3) return {};
  return Error{.what = cat(call.op.name, " cannot take ", to_string(x)),
               .hint = "its input must be [N, C, ...] with at least one more dimension"};
}

}  // namespace chop::ops

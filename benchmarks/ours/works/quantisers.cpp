// Every number format over a large tensor, each beside a memcpy of the same bytes.
#include <cstring>
#include <memory>

#include "formats/quantiser.hpp"
#include "formats/registry.hpp"
#include "support/rng.hpp"
#include "work.hpp"

namespace chop::works {
namespace {

std::vector<NumberFormat> formats() {
  const Attr w8 = std::int64_t{8};
  const Attr four = std::int64_t{4};
  return {{"integer", {{"width", w8}, {"frac_width", four}}},
          {"integer_floor", {{"width", w8}, {"frac_width", four}}},
          {"lsq_integer", {{"width", four}, {"step", 0.1}}},
          {"minifloat_denorm", {{"width", w8}, {"exponent_width", four}}},
          {"minifloat_ieee", {{"width", w8}, {"exponent_width", four}}},
          {"log", {{"width", w8}}},
          {"binary", {}},
          {"binary_residual", {}},
          {"ternary", {{"mean", 0.8}}},
          {"scale_integer", {{"width", w8}, {"granularity", std::string("tensor")}}},
          {"block_fp", {{"width", w8}, {"block_size", Ints{16}}}},
          {"block_minifloat",
           {{"width", w8},
            {"exponent_width", four},
            {"exponent_bias_width", four},
            {"block_size", Ints{16}}}},
          {"block_log", {{"width", w8}, {"exponent_bias_width", four}, {"block_size", Ints{16}}}},
          {"mxint", {{"width", w8}}},
          {"mxfp", {{"exponent_width", four}, {"frac_width", std::int64_t{3}}}}};
}

struct Tensors {
  std::vector<float> x, y;
  std::vector<Quantiser> quantisers = {};
};

/// Per format its seconds as "alone.NAME" (or "groups.NAME" where values depend on others), and
/// the seconds of a copy made just before as "copy.NAME".
Numbers measure(Tensors& tensors) {
  Numbers numbers;
  for (Quantiser& q : tensors.quantisers) {
    const std::string name(q.def().name);
    numbers.emplace_back("copy." + name, seconds_of([&] {
                           std::memcpy(tensors.y.data(), tensors.x.data(), 4 * tensors.x.size());
                         }));
    numbers.emplace_back((q.is_elementwise() ? "alone." : "groups.") + name,
                         seconds_of([&] { q.run(tensors.x.data(), tensors.y.data()); }));
  }
  return numbers;
}

Result<PreparedWork> prepare(const WorkArgs& args) {
  const auto count = std::size_t(args.number("megabytes", 100)) * 1'000'000 / 4;
  const auto tensors = std::make_shared<Tensors>(
      Tensors{.x = std::vector<float>(count), .y = std::vector<float>(count)});
  const Stream noise(1, "bench");
  for (std::size_t i = 0; i < count; ++i)
    tensors->x[i] = static_cast<float>(4 * noise.uniform(i) - 2);
  for (const NumberFormat& format : formats()) {
    CH_TRY(Quantiser q, Quantiser::make(format, {std::int64_t(count)}));
    tensors->quantisers.push_back(std::move(q));
  }
  measure(*tensors);
  return PreparedWork{.measure = [tensors]() -> Result<Numbers> { return measure(*tensors); }};
}

}  // namespace

WorkDef quantisers() {
  return {.name = "quantisers",
          .doc = "megabytes=: seconds of every number format and of a copy, one thread",
          .prepare = prepare};
}

}  // namespace chop::works

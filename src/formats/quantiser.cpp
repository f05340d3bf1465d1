// Completes a format for a shape: groups and what they share, then runs of values through the fast
// loop of the format, the loop for blocks, or the definition, value by value.
#include "formats/quantiser.hpp"

#include "formats/fast.hpp"
#include "formats/registry.hpp"

namespace chop::formats {
namespace {

/// From here on the ends of a run, which are no whole lines, do not matter.
constexpr std::int64_t kLongRun = 4096;

}  // namespace

Quantiser::Quantiser(const FormatDef& def, Config config, Shape shape)
    : def_(&def),
      config_(std::move(config)),
      shape_(std::move(shape)),
      count_(numel(shape_)),
      base_(def.codec.element(config_)) {}

Result<Quantiser> Quantiser::make(const NumberFormat& format, const Shape& shape) {
  CH_TRY(const FormatDef* def, find_format(format.name));
  CH_TRY(Config config, complete_config(*def, format.config));
  Quantiser q(*def, std::move(config), shape);
  if (def->tiles != nullptr) {
    CH_TRY(q.tiles_, def->tiles(q.config_, shape));
  }
  const auto groups = static_cast<std::size_t>(q.groups());
  q.scratch_.resize(groups);
  q.prepare_blocks();
  if (def->learned.empty()) return q;
  q.sums_.resize(groups);
  q.counts_.resize(groups);
  if (!q.config_.has(def->learned)) return q;
  const std::vector<double>& given = q.config_.reals(def->learned);
  if (given.size() != 1 && given.size() != groups)
    return Error{.what = cat("format '", def->name, "': ", given.size(), " values of ",
                             def->learned, " for ", groups, " groups"),
                 .hint = cat("give one, or one per group; the shape is ", to_string(shape))};
  for (std::size_t g = 0; g < groups; ++g)
    q.configured_.push_back(static_cast<float>(given[given.size() == 1 ? 0 : g]));
  return q;
}

bool Quantiser::is_elementwise() const {
  return !tiles_ || (!def_->learned.empty() && groups() <= 1);
}

std::optional<Grid> Quantiser::grid() const {
  if (def_->grid == nullptr) return {};
  Element element = base_;
  if (tiles_) {  // one group with a known scale is a format without groups
    if (groups() != 1 || configured_.size() != 1) return {};
    def_->restore(element, configured_[0]);
  }
  const Grid grid = def_->grid(element);
  if (grid.rounding == Rounding::HalfUp) return {};
  if (grid.rounding != Rounding::HalfEven && !grid.is_binary()) return {};
  return grid;
}

std::optional<Grid> Quantiser::fixed_point() const {
  const std::optional<Grid> known = grid();
  return known && known->is_binary() ? known : std::nullopt;
}

void Quantiser::plain_run(const Element& element, const float* x, float* y, std::int64_t offset,
                          std::int64_t length) const {
  for (std::int64_t i = offset; i < offset + length; ++i)
    y[i] = def_->codec.quantise(x[i], element, static_cast<std::uint64_t>(i));
}

void Quantiser::fast_run(const Element& element, const float* x, float* y, std::int64_t offset,
                         std::int64_t length) const {
  if (def_->is_fast(element))
    def_->fast.run(element,
                   {.x = x + offset,
                    .y = y + offset,
                    .count = length,
                    .store = length >= kLongRun ? best_store(x, y, count_) : Store::ThroughCaches});
  else
    plain_run(element, x, y, offset, length);
}

void Quantiser::measure(const float* x) {
  std::fill(scratch_.begin(), scratch_.end(), 0.0F);
  tiles_->for_each_run([&](std::int64_t group, std::int64_t offset, std::int64_t length) {
    float& most = scratch_[static_cast<std::size_t>(group)];
    most = std::max(most, formats::abs_max(x + offset, length));
  });
  if (def_->zero_takes_least)
    std::replace(scratch_.begin(), scratch_.end(), 0.0F, least_magnitude());
}

float Quantiser::least_magnitude() const {
  float least = 0;
  for (const float most : scratch_)
    if (most > 0 && (least == 0 || most < least)) least = most;
  return least > 0 ? least : 1.0F;
}

void Quantiser::find_initial(const float* x, std::span<float> values) {
  assert(def_->initial != nullptr && "only formats that learn start somewhere");
  std::fill(sums_.begin(), sums_.end(), 0.0);
  std::fill(counts_.begin(), counts_.end(), 0);
  tiles_->for_each_run([&](std::int64_t group, std::int64_t offset, std::int64_t length) {
    const auto g = static_cast<std::size_t>(group);
    for (std::int64_t i = offset; i < offset + length; ++i) {
      if (!std::isfinite(x[i])) continue;
      sums_[g] += std::fabs(static_cast<double>(x[i]));
      ++counts_[g];
    }
  });
  for (std::size_t g = 0; g < values.size(); ++g)
    values[g] =
        def_->initial(base_, counts_[g] > 0 ? sums_[g] / static_cast<double>(counts_[g]) : 0.0);
}

std::vector<float> Quantiser::initial(const float* x) {
  std::vector<float> values(scratch_.size());
  find_initial(x, values);
  return values;
}

void Quantiser::find_learned(const float* x, std::span<const float> given) {
  if (given.empty()) given = configured_;
  if (given.empty()) return find_initial(x, scratch_);
  assert(given.size() == scratch_.size() && "one learned number per group");
  std::copy(given.begin(), given.end(), scratch_.begin());
}

template <class Apply>
void Quantiser::visit(const float* x, const QuantiseRun& run, Apply apply) {
  Element element = base_;
  element.stream = Stream(run.seed, "quantise", run.step);
  if (!tiles_) {
    apply(std::int64_t{-1}, element, std::int64_t{0}, count_);
    return;
  }
  const Element common = element;
  if (def_->measure == Measure::AbsMax) measure(x);
  if (!def_->learned.empty()) find_learned(x, run.learned);
  std::int64_t current = -1;
  tiles_->for_each_run([&](std::int64_t group, std::int64_t offset, std::int64_t length) {
    if (group != current) {
      element = common;
      const float known = scratch_[static_cast<std::size_t>(group)];
      if (def_->share == nullptr)
        def_->restore(element, known);
      else
        def_->share(element,
                    {.abs_max = known, .values = {x + offset, static_cast<std::size_t>(length)}});
      current = group;
    }
    apply(group, element, offset, length);
  });
}

void Quantiser::run(const float* x, float* y, const QuantiseRun& run) {
  if (table_) return run_blocks(x, y);
  if (bands_ && bands_->height == 1 && !def_->zero_takes_least) return run_rows(x, y);
  visit(x, run,
        [&](std::int64_t, const Element& element, std::int64_t offset, std::int64_t length) {
          fast_run(element, x, y, offset, length);
        });
}

void Quantiser::run_plainly(const float* x, float* y, const QuantiseRun& run) {
  visit(x, run,
        [&](std::int64_t, const Element& element, std::int64_t offset, std::int64_t length) {
          plain_run(element, x, y, offset, length);
        });
}

void Quantiser::run_part(const float* x, float* y, std::int64_t first, std::int64_t count,
                         const QuantiseRun& run) const {
  assert(is_elementwise() && "values of a group cannot be quantised apart");
  Element element = base_;
  element.stream = Stream(run.seed, "quantise", run.step);
  if (tiles_ && count > 0) {
    const std::span<const float> learned = run.learned.empty() ? configured_ : run.learned;
    assert(!learned.empty() && "a part cannot say what the whole would have learned");
    def_->restore(element, learned[0]);
  }
  fast_run(element, x, y, first, count);
}

Result<Encoded> Quantiser::encode(const float* x, const QuantiseRun& run) {
  for (std::int64_t i = 0; i < count_; ++i)
    if (std::isnan(x[i]))
      return Error{.what = cat("value ", i, " is NaN, which has no code in ", def_->name),
                   .hint = "replace it; infinities may stay, they saturate"};
  Encoded out{Tensor(DType::I64, shape_),
              Tensor(def_->whole_shared ? DType::I64 : DType::F32, Shape{groups()})};
  const std::span<std::int64_t> codes = out.codes.mutable_data<std::int64_t>();
  visit(x, run,
        [&](std::int64_t group, const Element& element, std::int64_t offset, std::int64_t length) {
          for (std::int64_t i = offset; i < offset + length; ++i)
            codes[static_cast<std::size_t>(i)] =
                def_->codec.encode(x[i], element, static_cast<std::uint64_t>(i));
          if (group < 0) return;
          const auto g = static_cast<std::size_t>(group);
          if (def_->whole_shared)
            out.shared.mutable_data<std::int64_t>()[g] = static_cast<std::int64_t>(element.shared);
          else
            out.shared.mutable_data<float>()[g] = element.shared;
        });
  return out;
}

Result<Tensor> Quantiser::decode(const Encoded& encoded) const {
  if (encoded.codes.type() != TensorType{DType::I64, shape_} ||
      encoded.shared.type() !=
          TensorType{def_->whole_shared ? DType::I64 : DType::F32, Shape{groups()}})
    return Error{.what = cat("these codes are not of a tensor of shape ", to_string(shape_))};
  Tensor out(DType::F32, shape_);
  const std::span<const std::int64_t> codes = encoded.codes.data<std::int64_t>();
  const std::span<float> values = out.mutable_data<float>();
  const auto part = [&](const Element& element, std::int64_t offset, std::int64_t length) {
    for (std::int64_t i = offset; i < offset + length; ++i)
      values[static_cast<std::size_t>(i)] =
          def_->codec.decode(codes[static_cast<std::size_t>(i)], element);
  };
  if (!tiles_) {
    part(base_, 0, count_);
    return out;
  }
  tiles_->for_each_run([&](std::int64_t group, std::int64_t offset, std::int64_t length) {
    Element element = base_;
    def_->restore(element, static_cast<float>(encoded.shared.at(group)));
    part(element, offset, length);
  });
  return out;
}

Result<Tensor> quantise(const NumberFormat& format, const Tensor& x, const QuantiseRun& run) {
  if (x.dtype() != DType::F32)
    return Error{.what = cat("cannot quantise values of type ", name_of(x.dtype())),
                 .hint = "convert them to f32 first"};
  CH_TRY(Quantiser quantiser, Quantiser::make(format, x.shape()));
  if (const auto given = static_cast<std::int64_t>(run.learned.size());
      given != 0 && given != quantiser.learned_size())
    return Error{.what = cat(given, " learned numbers, and the values form ",
                             quantiser.learned_size(), " groups")};
  Tensor y(DType::F32, x.shape());
  quantiser.run(x.data<float>().data(), y.mutable_data<float>().data(), run);
  return y;
}

}  // namespace chop::formats

#include "analysis/statistics/moments.hpp"

#include "analysis/statistics/stat_loops.hpp"

namespace chop::analysis {
namespace {

constexpr std::size_t kLanes = 8;

/// Sum of f(x), in a fixed order that vectorises.
template <class F>
double sum_of(std::span<const float> values, F&& f) {
  std::array<double, kLanes> lanes{};
  std::size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += f(static_cast<double>(values[i + k]));
  double sum = 0;
  for (; i < values.size(); ++i) sum += f(static_cast<double>(values[i]));
  for (const double lane : lanes) sum += lane;
  return sum;
}

}  // namespace

OnlineMoments::OnlineMoments(StatGroups groups, Estimator estimator)
    : groups_(std::move(groups)),
      estimator_(estimator),
      mean_(groups_.groups()),
      squares_(groups_.groups()) {}

void OnlineMoments::update(const float* samples, std::int64_t count) {
  if (groups_.is_all()) return add_rows(samples, static_cast<std::size_t>(count));
  const auto size = static_cast<std::int64_t>(groups_.per_sample());
  const std::size_t last = groups_.groups() - 1;
  groups_.visit(
      samples, count, scratch_,
      [&](std::size_t g, std::span<const float> values) {
        double mean = 0;
        double squares = 0;
        row_moments({values.data(), 1, values.size()}, &mean, &squares);
        merge(g, mean, squares);
        if (g == last) count_ += size;
      },
      [&](std::span<const float> values) { add_lanes(values); });
}

void OnlineMoments::add_rows(const float* samples, std::size_t count) {
  constexpr std::size_t kAtOnce = 256;
  std::array<double, kAtOnce> means;
  std::array<double, kAtOnce> squares;
  const std::size_t width = groups_.per_sample();
  for (std::size_t first = 0; first < count; first += kAtOnce) {
    const std::size_t now = std::min(kAtOnce, count - first);
    row_moments({samples + first * width, now, width}, means.data(), squares.data());
    for (std::size_t r = 0; r < now; ++r) {
      merge(0, means[r], squares[r]);
      count_ += static_cast<std::int64_t>(width);
    }
  }
}

void OnlineMoments::merge(std::size_t g, double mean, double squares) {
  if (groups_.per_sample() == 0) return;
  const auto n = static_cast<double>(groups_.per_sample());
  const auto c = static_cast<double>(count_);
  if (estimator_ == Estimator::Reference && groups_.is_all() && n > 1) squares *= n / (n - 1);
  const double share = n / (c + n);  // first, because the next sample depends on the mean alone
  const double delta = mean - mean_[g];
  mean_[g] += delta * share;
  squares_[g] += squares + delta * delta * c * share;
}

void OnlineMoments::add_lanes(std::span<const float> values) {
  ++count_;
  const double share = 1 / static_cast<double>(count_);
  for (std::size_t g = 0; g < values.size(); ++g) {
    const double delta = static_cast<double>(values[g]) - mean_[g];
    mean_[g] += delta * share;
    squares_[g] += delta * (static_cast<double>(values[g]) - mean_[g]);
  }
}

MeanAndVariance OnlineMoments::result() const {
  MeanAndVariance found{mean_, squares_};
  const std::int64_t divisor = estimator_ == Estimator::Unbiased ? count_ - 1 : count_;
  for (double& variance : found.variance) variance /= static_cast<double>(divisor);
  return found;
}

MeanAndVariance precise_moments(const StatGroups& groups, const KeptSamples& samples) {
  const std::size_t many = groups.groups();
  MeanAndVariance found{std::vector<double>(many), std::vector<double>(many)};
  std::vector<float> scratch;
  const auto count = static_cast<double>(groups.count(samples.count()));
  samples.visit([&](const float* from, std::int64_t rows) {
    groups.visit(
        from, rows, scratch,
        [&](std::size_t g, std::span<const float> values) {
          found.mean[g] += sum_of(values, [](double x) { return x; });
        },
        [&](std::span<const float> values) {
          for (std::size_t g = 0; g < many; ++g) found.mean[g] += static_cast<double>(values[g]);
        });
  });
  for (double& mean : found.mean) mean /= count;
  samples.visit([&](const float* from, std::int64_t rows) {
    groups.visit(
        from, rows, scratch,
        [&](std::size_t g, std::span<const float> values) {
          const double mean = found.mean[g];
          found.variance[g] += sum_of(values, [mean](double x) { return (x - mean) * (x - mean); });
        },
        [&](std::span<const float> values) {
          for (std::size_t g = 0; g < many; ++g) {
            const double apart = static_cast<double>(values[g]) - found.mean[g];
            found.variance[g] += apart * apart;
          }
        });
  });
  for (double& variance : found.variance) variance /= count - 1;
  return found;
}

Field estimator_arg() {
  return {.name = "estimator",
          .initial = "reference",
          .doc =
              "divisor of the online variance: \"reference\" as the reference system has it "
              "(for dims = \"all\" the unbiased variance of a sample stands for its own), "
              "\"population\" n, \"unbiased\" n - 1",
          .choices = {"reference", "population", "unbiased"}};
}

Estimator estimator_of(const Args& args) {
  const std::string& name = args.text("estimator");
  if (name == "population") return Estimator::Population;
  return name == "unbiased" ? Estimator::Unbiased : Estimator::Reference;
}

}  // namespace chop::analysis

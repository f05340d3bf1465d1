#include "hardware/lowering/function.hpp"

#include "formats/registry.hpp"

namespace chop::hardware {

CodeFunction::CodeFunction(const IntegerType& from, const std::vector<PendingFunction>& pending,
                           const formats::Quantiser& format, double step)
    : pending_(pending),
      format_(format),
      step_(step),
      frac_(from.frac),
      elements_(from.size()),
      channels_(1),
      x_(elements_),
      y_(elements_) {
  for (const PendingFunction& function : pending)
    channels_ = std::max(channels_, function.channels);
  if (format.groups() > 1) channels_ = elements_;
  domains_.assign(channels_, Interval{1, 0});
  for (std::size_t i = 0; i < elements_; ++i) {
    Interval& domain = domains_[i * channels_ / elements_];
    domain = domain.low > domain.high ? from.ranges[i] : hull(domain, from.ranges[i]);
  }
}

std::optional<formats::Grid> grid_of(const formats::Quantiser& format) {
  const FormatDef& def = format.def();
  if (def.grid == nullptr) return {};
  Element element = def.codec.element(format.config());
  if (format.groups() > 0) {
    const std::string key(def.learned);
    if (format.groups() != 1 || key.empty() || !format.config().has(key)) return {};
    def.restore(element, static_cast<float>(format.config().reals(key)[0]));
  }
  return def.grid(element);
}

Approximate CodeFunction::real(std::size_t channel, std::int64_t code) const {
  Approximate x{.value = std::ldexp(static_cast<double>(code), -frac_)};
  for (const PendingFunction& function : pending_) {
    x = function.apply(x, channel * function.channels / channels_);
    x.value = static_cast<double>(static_cast<float>(x.value));
  }
  return x;
}

double CodeFunction::quantised(double value, std::size_t channel) const {
  // The format looks at one element of the tensor: the first of the channel.
  const std::size_t element = (channel * elements_ + channels_ - 1) / channels_;
  x_[element] = static_cast<float>(value);
  format_.run_part(x_.data(), y_.data(), static_cast<std::int64_t>(element), 1);
  const auto result = static_cast<double>(y_[element]);
  return step_ == 1 ? result : std::nearbyint(result / step_);
}

double CodeFunction::operator()(std::size_t channel, std::int64_t code) const {
  return quantised(real(channel, code).value, channel);
}

bool CodeFunction::is_uncertain(std::size_t channel, std::int64_t code) const {
  const Approximate x = real(channel, code);
  return quantised(x.value - x.error, channel) != quantised(x.value + x.error, channel);
}

std::optional<std::vector<std::int64_t>> CodeFunction::steps(std::size_t channel,
                                                             std::size_t most) const {
  struct Part {
    std::int64_t low, high;
    double at_low, at_high;
  };
  const Interval& all = domains_[channel];
  std::vector<std::int64_t> found;
  std::vector<Part> worklist = {
      {all.low, all.high, (*this)(channel, all.low), (*this)(channel, all.high)}};
  while (!worklist.empty()) {
    const Part part = worklist.back();
    worklist.pop_back();
    if (part.at_low == part.at_high) continue;
    if (part.high - part.low == 1) {
      found.push_back(part.high);
      if (found.size() > most) return {};
      continue;
    }
    const std::int64_t middle = part.low + (part.high - part.low) / 2;
    const double at_middle = (*this)(channel, middle);
    worklist.push_back({middle, part.high, at_middle, part.at_high});
    worklist.push_back({part.low, middle, part.at_low, at_middle});
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace chop::hardware

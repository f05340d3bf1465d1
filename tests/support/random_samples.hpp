// Samples of any op at random sizes, made from those it declares: every size of its operands is
// drawn anew, equal sizes alike, attributes that name a size follow, others change now and then.
// What the op then refuses is drawn again. So an op needs nothing but its samples.
#pragma once

#include <array>
#include <map>

#include "samples.hpp"

namespace chop::test {

class RandomSamples {
 public:
  RandomSamples(std::uint64_t seed, std::string_view purpose) : stream_(seed, purpose) {}

  /// The sample at other sizes; it may make no sense.
  Sample vary(const Sample& sample) {
    sizes_.clear();
    Sample varied = sample;
    for (SampleInput& input : varied.inputs) {
      for (std::int64_t& size : input.shape) size = size_for(size);
      if (input.dtype != DType::I64) continue;  // indices: below a size
      if (const auto high = sizes_.find(static_cast<std::int64_t>(input.high));
          high != sizes_.end()) {
        if (input.low < 0) input.low = -static_cast<double>(high->second);
        input.high = static_cast<double>(std::max<std::int64_t>(high->second, 1));
      }
    }
    for (auto& [name, value] : varied.attrs) change(value);
    return varied;
  }

 private:
  static constexpr std::int64_t kLarge = 1 << 20;  ///< larger attributes mean "no limit"

  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(stream_.below(n_++, static_cast<std::uint64_t>(count)));
  }
  bool one_of(std::int64_t count) { return below(count) == 0; }

  /// Sizes around the widths of vectors, one, and now and then none.
  std::int64_t draw_size() {
    static constexpr std::array<std::int64_t, 20> kSizes = {1, 1,  2,  3,  3,  4,  5,  6,  7,  8,
                                                            9, 12, 13, 15, 16, 17, 19, 31, 33, 65};
    return one_of(40) ? 0 : kSizes[static_cast<std::size_t>(below(kSizes.size()))];
  }
  /// A size of the sample stands for the same new one everywhere; sizes of one may stay.
  std::int64_t size_for(std::int64_t size) {
    if (size == 1 && one_of(2)) return 1;
    const auto found = sizes_.find(size);
    return found != sizes_.end() ? found->second : sizes_[size] = draw_size();
  }

  void change(std::int64_t& number) {
    const auto found = sizes_.find(number);
    if (found != sizes_.end() && !one_of(6))
      number = found->second;
    else if (one_of(3))
      number =
          number < 0 ? -1 - below(3) : below(number > 1 ? 2 * std::min(number, kLarge) + 2 : 4);
  }
  void change(Attr& value) {
    if (auto* const flag = std::get_if<bool>(&value)) {
      if (one_of(3)) *flag = !*flag;
    } else if (auto* const number = std::get_if<std::int64_t>(&value)) {
      change(*number);
    } else if (auto* const list = std::get_if<Ints>(&value)) {
      for (std::int64_t& each : *list) change(each);
    }
  }

  Stream stream_;
  std::uint64_t n_ = 0;
  std::map<std::int64_t, std::int64_t> sizes_;  ///< new ones by those of the sample
};

/// Elements of all operands of a sample.
inline std::int64_t elements_of(const Sample& sample) {
  std::int64_t count = 0;
  for (const SampleInput& input : sample.inputs) count += numel(input.shape);
  return count;
}

}  // namespace chop::test

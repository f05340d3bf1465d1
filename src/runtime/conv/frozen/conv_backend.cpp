// The list of convolution backends, and the choice among them.
#include "runtime/conv/frozen/conv_backend.hpp"

#include "conv_backends.inc"

namespace chop::runtime {

std::vector<std::int8_t> ConvJob::quantised_weights(std::int64_t first, std::int64_t count) const {
  std::vector<std::int8_t> integers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < integers.size(); ++i)
    integers[i] = static_cast<std::int8_t>(
        std::lround(weights[static_cast<std::size_t>(first) + i] * weight_grid->scale()));
  return integers;
}

const std::vector<ConvBackend>& all_conv_backends() {
  static const std::vector<ConvBackend> all = [] {
    std::vector<ConvBackend> found = backends::collected();
    std::ranges::stable_sort(found, std::ranges::greater{}, &ConvBackend::preference);
    return found;
  }();
  return all;
}

const ConvBackend* find_conv_backend(std::string_view name) {
  const auto found = std::ranges::find(all_conv_backends(), name, &ConvBackend::name);
  return found == all_conv_backends().end() ? nullptr : &*found;
}

bool is_conv_possible(const ConvJob& job) {
  return std::ranges::any_of(all_conv_backends(), [&](const ConvBackend& backend) {
    return backend.declines(job).empty();
  });
}

MadeConv make_conv(const ConvJob& job) {
  for (const ConvBackend& backend : all_conv_backends())
    if (backend.declines(job).empty())
      if (std::unique_ptr<TiledConv> conv = backend.make(job)) return {&backend, std::move(conv)};
  return {};
}

}  // namespace chop::runtime

#include "report/heat_colours.hpp"

#include <cstdio>

namespace chop::report {
namespace {

struct Colour {
  double r = 0, g = 0, b = 0;
};

/// From paper to deep blue; every step is darker than the one before.
constexpr std::array<Colour, 5> kBlues = {
    {{247, 250, 253}, {198, 219, 239}, {107, 174, 214}, {33, 113, 181}, {8, 48, 107}}};

}  // namespace

std::string heat_colour(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (kBlues.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(at), kBlues.size() - 2);
  const double part = at - static_cast<double>(low);
  const auto mix = [part](double a, double b) {
    return static_cast<unsigned>(std::lround(a + part * (b - a)));
  };
  const Colour& a = kBlues.at(low);
  const Colour& b = kBlues.at(low + 1);
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", mix(a.r, b.r), mix(a.g, b.g),
                mix(a.b, b.b));
  return text.data();
}

}  // namespace chop::report

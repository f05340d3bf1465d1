#include "functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace chop::bench {
namespace {

using std::numbers::pi;
using X = std::span<const double>;
using Values = std::vector<double>;

double square(double x) {
  return x * x;
}

/// f(0) + f(1) + ... + f(n - 1)
template <class F>
double sum(std::size_t n, F f) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += f(i);
  return total;
}

Values sphere(X x) {
  return {sum(x.size(), [&](std::size_t i) { return square(x[i]); })};
}

Values rosenbrock(X x) {
  return {sum(x.size() - 1, [&](std::size_t i) {
    return 100 * square(x[i + 1] - square(x[i])) + square(x[i] - 1);
  })};
}

Values rastrigin(X x) {
  return {sum(x.size(),
              [&](std::size_t i) { return 10 + square(x[i]) - 10 * std::cos(2 * pi * x[i]); })};
}

Values ackley(X x) {
  const auto n = static_cast<double>(x.size());
  const double squares = sphere(x)[0] / n;
  const double waves = sum(x.size(), [&](std::size_t i) { return std::cos(2 * pi * x[i]); }) / n;
  return {-20 * std::exp(-0.2 * std::sqrt(squares)) - std::exp(waves) + 20 + std::numbers::e};
}

Values griewank(X x) {
  double product = 1;
  for (std::size_t i = 0; i < x.size(); ++i)
    product *= std::cos(x[i] / std::sqrt(static_cast<double>(i + 1)));
  return {1 + sphere(x)[0] / 4000 - product};
}

Values branin(X x) {
  const double bend = x[1] - 5.1 / (4 * pi * pi) * square(x[0]) + 5 / pi * x[0] - 6;
  return {square(bend) + 10 * (1 - 1 / (8 * pi)) * std::cos(x[0]) + 10};
}

/// `a` and `p` have a row of x.size() for each of four hills.
Values hartmann(X x, std::span<const double> a, std::span<const double> p) {
  constexpr std::array<double, 4> kHeights = {1.0, 1.2, 3.0, 3.2};
  return {-sum(4, [&](std::size_t hill) {
    const double far = sum(x.size(), [&](std::size_t i) {
      const std::size_t at = hill * x.size() + i;
      return a[at] * square(x[i] - 1e-4 * p[at]);
    });
    return kHeights.at(hill) * std::exp(-far);
  })};
}

Values hartmann3(X x) {
  static constexpr std::array<double, 12> kA = {3, 10, 30, 0.1, 10, 35, 3, 10, 30, 0.1, 10, 35};
  static constexpr std::array<double, 12> kP = {3689, 1170, 2673, 4699, 4387, 7470,
                                                1091, 8732, 5547, 381,  5743, 8828};
  return hartmann(x, kA, kP);
}

Values hartmann6(X x) {
  static constexpr std::array<double, 24> kA = {10, 3,   17, 3.5, 1.7,  8,   0.05, 10,
                                                17, 0.1, 8,  14,  3,    3.5, 1.7,  10,
                                                17, 8,   17, 8,   0.05, 10,  0.1,  14};
  static constexpr std::array<double, 24> kP = {1312, 1696, 5569, 124,  8283, 5886, 2329, 4135,
                                                8307, 3736, 1004, 9991, 2348, 1451, 3522, 2883,
                                                3047, 6650, 4047, 8828, 8732, 5743, 1091, 381};
  return hartmann(x, kA, kP);
}

Values styblinski_tang(X x) {
  return {sum(x.size(), [&](std::size_t i) {
    return (square(square(x[i])) - 16 * square(x[i]) + 5 * x[i]) / 2;
  })};
}

Values levy(X x) {
  const auto w = [&](std::size_t i) { return 1 + (x[i] - 1) / 4; };
  const std::size_t last = x.size() - 1;
  const double middle = sum(last, [&](std::size_t i) {
    return square(w(i) - 1) * (1 + 10 * square(std::sin(pi * w(i) + 1)));
  });
  const double end = square(w(last) - 1) * (1 + square(std::sin(2 * pi * w(last))));
  return {square(std::sin(pi * w(0))) + middle + end};
}

Values schwefel(X x) {
  return {sum(x.size(), [&](std::size_t i) {
    return 418.9829 - x[i] * std::sin(std::sqrt(std::abs(x[i])));
  })};
}

Values zakharov(X x) {
  const double slope =
      sum(x.size(), [&](std::size_t i) { return 0.5 * static_cast<double>(i + 1) * x[i]; });
  return {sphere(x)[0] + square(slope) + square(square(slope))};
}

Values dixon_price(X x) {
  return {square(x[0] - 1) + sum(x.size() - 1, [&](std::size_t i) {
            return static_cast<double>(i + 2) * square(2 * square(x[i + 1]) - x[i]);
          })};
}

Values michalewicz(X x) {
  return {-sum(x.size(), [&](std::size_t i) {
    return std::sin(x[i]) * std::pow(std::sin(static_cast<double>(i + 1) * square(x[i]) / pi), 20);
  })};
}

Values six_hump_camel(X x) {
  const double a = square(x[0]);
  const double b = square(x[1]);
  return {(4 - 2.1 * a + a * a / 3) * a + x[0] * x[1] + (-4 + 4 * b) * b};
}

Values goldstein_price(X x) {
  const double a = x[0];
  const double b = x[1];
  const double left = 19 - 14 * a + 3 * a * a - 14 * b + 6 * a * b + 3 * b * b;
  const double right = 18 - 32 * a + 12 * a * a + 48 * b - 36 * a * b + 27 * b * b;
  return {(1 + square(a + b + 1) * left) * (30 + square(2 * a - 3 * b) * right)};
}

Values shekel(X x) {
  static constexpr std::array<double, 10> kB = {1, 2, 2, 4, 4, 6, 3, 7, 5, 5};
  static constexpr std::array<std::array<double, 10>, 2> kC = {
      {{4, 1, 8, 6, 3, 2, 5, 8, 6, 7}, {4, 1, 8, 6, 7, 9, 3, 1, 2, 3.6}}};
  return {-sum(10, [&](std::size_t hole) {
    const double far = sum(4, [&](std::size_t i) { return square(x[i] - kC.at(i % 2).at(hole)); });
    return 1 / (far + 0.1 * kB.at(hole));
  })};
}

Values powell(X x) {
  return {square(x[0] + 10 * x[1]) + 5 * square(x[2] - x[3]) + square(square(x[1] - 2 * x[2])) +
          10 * square(square(x[0] - x[3]))};
}

Values alpine(X x) {
  return {
      sum(x.size(), [&](std::size_t i) { return std::abs(x[i] * std::sin(x[i]) + 0.1 * x[i]); })};
}

Values trid(X x) {
  return {sum(x.size(), [&](std::size_t i) { return square(x[i] - 1); }) -
          sum(x.size() - 1, [&](std::size_t i) { return x[i] * x[i + 1]; })};
}

double zdt_g(X x) {
  return 1 + 9 * sum(x.size() - 1, [&](std::size_t i) { return x[i + 1]; }) /
                 static_cast<double>(x.size() - 1);
}

Values zdt1(X x) {
  const double g = zdt_g(x);
  return {x[0], g * (1 - std::sqrt(x[0] / g))};
}

Values zdt2(X x) {
  const double g = zdt_g(x);
  return {x[0], g * (1 - square(x[0] / g))};
}

Values zdt3(X x) {
  const double g = zdt_g(x);
  const double ratio = x[0] / g;
  return {x[0], g * (1 - std::sqrt(ratio) - ratio * std::sin(10 * pi * x[0]))};
}

Values kursawe(X x) {
  const double first = sum(x.size() - 1, [&](std::size_t i) {
    return -10 * std::exp(-0.2 * std::sqrt(square(x[i]) + square(x[i + 1])));
  });
  const double second = sum(x.size(), [&](std::size_t i) {
    return std::pow(std::abs(x[i]), 0.8) + 5 * std::sin(x[i] * x[i] * x[i]);
  });
  return {first, second};
}

Values dtlz2(X x) {
  const double g = 1 + sum(x.size() - 1, [&](std::size_t i) { return square(x[i + 1] - 0.5); });
  return {g * std::cos(x[0] * pi / 2), g * std::sin(x[0] * pi / 2)};
}

Values fonseca_fleming(X x) {
  const double shift = 1 / std::sqrt(static_cast<double>(x.size()));
  const auto far = [&](double centre) {
    return sum(x.size(), [&](std::size_t i) { return square(x[i] - centre); });
  };
  return {1 - std::exp(-far(shift)), 1 - std::exp(-far(-shift))};
}

using Bounds = std::vector<std::pair<double, double>>;

Bounds box(std::size_t count, double low, double high) {
  return Bounds(count, {low, high});
}

}  // namespace

std::span<const TestFunction> all_functions() {
  static const std::vector<TestFunction> table = {
      {"sphere", box(5, -5.12, 5.12), sphere},
      {"rosenbrock", box(5, -5, 10), rosenbrock},
      {"rastrigin", box(5, -5.12, 5.12), rastrigin},
      {"ackley", box(5, -32.768, 32.768), ackley},
      {"griewank", box(5, -600, 600), griewank},
      {"branin", {{-5, 10}, {0, 15}}, branin},
      {"hartmann3", box(3, 0, 1), hartmann3},
      {"hartmann6", box(6, 0, 1), hartmann6},
      {"styblinski_tang", box(5, -5, 5), styblinski_tang},
      {"levy", box(5, -10, 10), levy},
      {"schwefel", box(5, -500, 500), schwefel},
      {"zakharov", box(5, -5, 10), zakharov},
      {"dixon_price", box(5, -10, 10), dixon_price},
      {"michalewicz", box(5, 0, pi), michalewicz},
      {"six_hump_camel", {{-3, 3}, {-2, 2}}, six_hump_camel},
      {"goldstein_price", box(2, -2, 2), goldstein_price},
      {"shekel", box(4, 0, 10), shekel},
      {"powell", box(4, -4, 5), powell},
      {"alpine", box(5, -10, 10), alpine},
      {"trid", box(5, -25, 25), trid},
      {"zdt1", box(30, 0, 1), zdt1, {11, 11}},
      {"zdt2", box(30, 0, 1), zdt2, {11, 11}},
      {"fonseca_fleming", box(3, -4, 4), fonseca_fleming, {1, 1}},
      {"zdt3", box(30, 0, 1), zdt3, {11, 11}},
      {"kursawe", box(3, -5, 5), kursawe, {0, 25}},
      {"dtlz2", box(12, 0, 1), dtlz2, {1.1, 1.1}},
  };
  return table;
}

const TestFunction* find_function(std::string_view name) {
  const auto table = all_functions();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [name](const TestFunction& one) { return one.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace chop::bench

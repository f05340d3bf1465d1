// Published test functions, under the same names as in functions.py.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace chop::bench {

struct TestFunction {
  std::string_view name;
  std::vector<std::pair<double, double>> bounds;  ///< of each variable
  std::vector<double> (*values)(std::span<const double> x) = nullptr;
  std::vector<double> reference = {};  ///< of the hypervolume; empty: one objective
};

std::span<const TestFunction> all_functions();
const TestFunction* find_function(std::string_view name);

}  // namespace chop::bench

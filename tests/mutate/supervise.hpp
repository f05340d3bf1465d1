// Which execution a number stands for, and running many of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "mutate/kinds.hpp"

namespace chop::mutate {

struct Plan {
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::uint64_t executions = 20'000;
  double seconds = 1e9;
  int jobs = 2;
  std::string only = {};            ///< the name of one kind
  std::filesystem::path work = {};  ///< a folder of its own, removed afterwards
  std::filesystem::path findings = {};
  std::string program = "mutate";
};

/// A mutated file and the command that opens it; both follow from the seed and the number.
struct Execution {
  const Kind* kind;
  const Words* command;
  std::string bytes = {};
};
Execution execution_of(const std::vector<Kind>& kinds, const Plan& plan, std::uint64_t number);

struct Tally {
  std::uint64_t executions = 0;
  std::uint64_t accepted = 0;  ///< ended in exit 0
  std::uint64_t findings = 0;
};
Tally run_all(const std::vector<Kind>& kinds, const Plan& plan);

}  // namespace chop::mutate

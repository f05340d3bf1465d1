// What programs share that measure one model after the other, in rounds.
#pragma once

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "report/table.hpp"
#include "support/result.hpp"

namespace chop {

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Prints the table with the rows that `measure` adds for each model named on the command line
/// (else the usual ones); the status for main() to return.
inline int measure_models(int argc, char** argv, Table table,
                          Status (*measure)(const std::string& model, Table& table)) {
  std::signal(SIGPIPE, SIG_IGN);
  std::vector<std::string> models(argv + 1, argv + argc);
  if (models.empty()) models = {"jsc-tiny", "jsc-toy", "jsc-s"};
  for (const std::string& model : models)
    if (const Status status = measure(model, table); !status) {
      std::fputs(to_string(status.error()).c_str(), stderr);
      return 1;
    }
  std::fputs(render(table).c_str(), stdout);
  return 0;
}

}  // namespace chop

// The `ch` program. All of it lives in cli/run.
#include <iostream>

#include "cli/run.hpp"

int main(int argc, char** argv) {
  return chop::run_cli(argc, argv, std::cout, std::cerr);
}

// The `ch` program. All of it lives in cli/run.
#include <csignal>
#include <iostream>

#include "cli/run.hpp"
#include "support/display.hpp"
#include "support/terminal_text.hpp"

using chop::support::OwnColours;
using chop::support::TerminalFilter;

int main(int argc, char** argv) {
  // All output passes these filters, so that names from files cannot hold control characters of a
  // terminal.
  const auto colours = [](std::ostream& out) {
    return chop::support::wants_colour(out) ? OwnColours::Yes : OwnColours::No;
  };
  TerminalFilter out(std::cout, colours(std::cout));
  TerminalFilter err(std::cerr, colours(std::cerr));
  // Under `ulimit -f` a file that grows too large is then an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  return chop::run_cli(argc, argv, std::cout, std::cerr);
}

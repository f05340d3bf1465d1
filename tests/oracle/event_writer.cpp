// Writes an event file into the folder argv[1] for tensorboard_test.py; prints its path.
// The scalars come from standard input, one "tag step value" per line.
#include <iostream>

#include "report/tensorboard.hpp"
#include "support/text.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  chop::Result<chop::EventWriter> writer = chop::EventWriter::open(argv[1]);
  if (!writer) {
    std::cerr << to_string(writer.error());
    return 1;
  }
  for (std::string line; std::getline(std::cin, line);) {
    const std::vector<std::string> words = chop::split(line, ' ');
    const auto step = chop::parse_int(words.at(1));
    const auto value = chop::parse_double(words.at(2));
    if (!step || !value || !writer.value().add_scalar(words.at(0), *value, *step)) return 1;
  }
  std::cout << writer.value().path().string() << '\n';
  return 0;
}

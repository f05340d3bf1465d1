// Reads one JSON value per line and prints each as pprint.pformat would, as a JSON text.
#include <iostream>

#include "compat/python_pprint.hpp"
#include "support/json.hpp"

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const chop::Result<chop::Tree> read = chop::parse_json(line, "line");
    if (!read) return 1;
    const chop::Tree& tree = read.value()["value"];
    const chop::PythonPrint options{.width = static_cast<int>(read.value()["width"].number())};
    const chop::Tree::List both = {chop::python_pformat(tree, options), chop::repr_of_tree(tree)};
    std::cout << chop::to_json(both) << '\n';
  }
}

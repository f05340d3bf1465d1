// Reads one JSON value per line and prints each as pprint.pformat would, as a JSON text.
#include <iostream>
#include <nlohmann/json.hpp>

#include "report/python_pprint.hpp"
#include "report/tree_json.hpp"

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    if (json.is_discarded()) return 1;
    const chop::Tree tree = chop::tree_of(json["value"]);
    const chop::PythonPrint options{.width = json["width"]};
    std::cout
        << nlohmann::json({chop::python_pformat(tree, options), chop::python_repr(tree)}).dump()
        << '\n';
  }
}

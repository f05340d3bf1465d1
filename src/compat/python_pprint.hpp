// Values as Python's repr() and pprint.pformat() print them.
#pragma once

#include "support/tree.hpp"

namespace chop::compat {

struct PythonPrint {
  int width = 80;
  /// Texts that are names of Python objects and get no quotes (torch.float32); null: none.
  bool (*is_bare)(std::string_view text) = nullptr;
};

/// repr(): tables are dicts and lists are lists. `sort_keys` as pprint does; repr() does not.
std::string repr_of_tree(const Tree& tree, const PythonPrint& options = {}, bool sort_keys = false);

/// pprint.pformat(tree, width=options.width): keys sorted, one item per line where a line
/// would be too long, long texts broken at blanks.
std::string python_pformat(const Tree& tree, const PythonPrint& options = {});

}  // namespace chop::compat

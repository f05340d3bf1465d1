// The pages of docs/reference, generated from the registries, so that they agree with the program.
#pragma once

#include "support/layers.hpp"

namespace chop::cli {

struct ReferencePage {
  std::string file;  ///< "ops.md"
  std::string text;
};

std::vector<ReferencePage> reference_pages();

/// ch.1, for man.
std::string man_page();
/// The body of search.md.
std::string search_reference();

}  // namespace chop::cli

// The pages of docs/reference, made from the registries, so that they cannot say anything
// the program does not do.
#pragma once

#include <string>
#include <vector>

#include "support/layers.hpp"

namespace chop::cli {

struct ReferencePage {
  std::string file;  ///< "ops.md"
  std::string text;
};

std::vector<ReferencePage> reference_pages();

/// The body of search.md.
std::string search_reference();

}  // namespace chop::cli

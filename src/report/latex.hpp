// Tables for papers.
#pragma once

#include "report/table.hpp"

namespace chop::report {

/// A tabular environment with rules of the package booktabs; special characters are escaped.
std::string to_latex(const Table& table);

}  // namespace chop::report

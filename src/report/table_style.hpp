// What the styles of tables are drawn with.
#pragma once

#include "report/table.hpp"

namespace chop::report {

/// A horizontal rule; `fill` 0: the style has no rule here.
struct TableRule {
  std::string_view begin = {};
  char fill = 0;
  std::string_view join = {};
  std::string_view end = {};
};

struct DrawnStyle {
  TableRule top, below_header, between_rows, bottom;
  std::string_view begin, separator, end;  ///< of a row of cells
  int padding = 1;
  int header_room = 2;  ///< a column is at least this much wider than its header
  bool centred = false;
};

/// Of a style that is drawn, which LaTeX is not.
DrawnStyle drawn_style(TableStyle style);

}  // namespace chop::report

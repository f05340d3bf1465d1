// Pictures as SVG text: learning curves, heat maps and confusion matrices. The same input gives the
// same bytes.
#pragma once

#include "support/layers.hpp"

namespace chop::report {

enum class Mark : std::uint8_t { Line, Dots };

struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;  ///< as long as x; a value that cannot be drawn breaks the line
  Mark mark = Mark::Line;
};

struct LineChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
  bool log_y = false;  ///< only positive values are drawn
  int width = 920;     ///< of the whole picture; the legend takes its share of it
  int height = 520;    ///< grows when the legend needs more
};

/// Several series over one pair of axes, with a legend at the right when there is more than
/// one series.
std::string to_svg(const LineChart& chart);

struct BarChart {
  std::string title;
  std::string x_label;
  std::vector<std::string> names;  ///< one bar (of each series) each, from the top
  struct Bars {
    std::string name;
    std::vector<double> values;  ///< as many as names, at least 0
  };
  std::vector<Bars> series;
  int width = 920;
};

/// Bars from left to right, each with its number; a legend when there is more than one series.
std::string to_svg(const BarChart& chart);

struct ConfusionMatrix {
  std::string title;
  std::vector<std::string> classes;
  std::vector<std::vector<std::int64_t>> counts;  ///< [true class][predicted class]
};

/// A square per pair of classes, darker for a larger share of the true class.
std::string to_svg(const ConfusionMatrix& matrix);

struct HeatMap {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  std::vector<std::vector<double>> values;  ///< [row][column]; what is not finite is left blank
  bool more_is_better = true;
  std::string note = {};  ///< below the picture
};

/// A square with its number for each row and column, darker where it is better.
std::string to_svg(const HeatMap& map);

}  // namespace chop::report

// Pictures of graphs: boxes and arrows as text in graphviz's DOT language, and its renderer.
#pragma once

#include "support/result.hpp"

namespace chop::report {

struct DotColour {
  std::string fill;    ///< "#dcfce7"
  std::string border;  ///< "#16a34a"
};

struct DotNode {
  std::string title;
  std::vector<std::string> lines = {};  ///< below the title
  std::vector<std::string> notes = {};  ///< smaller, below the lines
  DotColour colour;
};

struct DotEdge {
  std::size_t from = 0;  ///< positions among the nodes
  std::size_t to = 0;
  std::string label = {};
};

struct DotLegend {
  std::string text;
  DotColour colour;
};

struct DotPicture {
  std::string title;
  std::string subtitle = {};
  std::vector<DotNode> nodes;
  std::vector<DotEdge> edges;
  std::vector<DotLegend> legend = {};
  bool to_the_right = false;  ///< arrows go right instead of down
};

/// The picture in DOT. Any bytes are allowed in its texts; the same picture gives the same text.
std::string to_dot(const DotPicture& picture);

/// Lays out and draws a text in DOT; `format` is "svg" or "png". An error when graphviz
/// refuses, or when this program was built without it.
Result<std::string> render_dot(const std::string& dot, const std::string& format);
/// Whether this program was built with graphviz.
bool has_graphviz();

}  // namespace chop::report

#include "report/dot.hpp"

#include <set>

#include "support/escape.hpp"

namespace chop::report {
namespace {

constexpr std::string_view kFont = "Helvetica,Arial,sans-serif";
constexpr std::string_view kFaint = "#475569";

/// Text of an HTML-like label: markup escaped, control characters made blanks.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : to_utf8(text)) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  return out.empty() ? " " : out;
}

/// One line of a box; rows of a table keep a little distance from one another.
std::string row(std::string_view inside) {
  return cat("<TR><TD>", inside, "</TD></TR>");
}

std::string node_label(const DotNode& node) {
  std::string rows = row(cat("<B>", escaped(node.title), "</B>"));
  for (const std::string& line : node.lines) rows += row(escaped(line));
  for (const std::string& note : node.notes)
    rows += row(cat("<FONT POINT-SIZE=\"9\" COLOR=\"", kFaint, "\">", escaped(note), "</FONT>"));
  return cat("<TABLE BORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"1\">", rows, "</TABLE>");
}

/// What boxes are called in DOT, which SVG shows as their titles: their own, with a number where
/// two boxes have the same.
std::vector<std::string> quoted_names(const std::vector<DotNode>& nodes) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::string name;
    for (const char c : to_utf8(nodes[i].title))
      name += static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '"' || c == '\\' ? ' ' : c;
    if (!seen.insert(name).second) seen.insert(name += cat(" #", i));
    names.push_back(cat("\"", name, "\""));
  }
  return names;
}

std::string heading(const DotPicture& picture) {
  std::string text =
      cat("<TABLE BORDER=\"0\" CELLSPACING=\"4\" CELLPADDING=\"3\"><TR><TD COLSPAN=\"",
          std::max<std::size_t>(1, picture.legend.size()), "\"><FONT POINT-SIZE=\"16\"><B>",
          escaped(picture.title), "</B></FONT>");
  if (!picture.subtitle.empty())
    text += cat("<BR/><FONT POINT-SIZE=\"10\" COLOR=\"", kFaint, "\">", escaped(picture.subtitle),
                "</FONT>");
  text += "</TD></TR>";
  if (!picture.legend.empty()) {
    text += "<TR>";
    for (const DotLegend& entry : picture.legend)
      text +=
          cat("<TD BORDER=\"1\" STYLE=\"ROUNDED\" COLOR=\"", entry.colour.border, "\" BGCOLOR=\"",
              entry.colour.fill, "\"><FONT POINT-SIZE=\"9\">", escaped(entry.text), "</FONT></TD>");
    text += "</TR>";
  }
  return text + "</TABLE>";
}

}  // namespace

std::string to_dot(const DotPicture& picture) {
  std::string text =
      cat("digraph network {\n  graph [rankdir=", picture.to_the_right ? "LR" : "TB",
          ", bgcolor=white, pad=0.2, nodesep=0.3, ranksep=0.3, labelloc=t, fontname=\"", kFont,
          "\",\n    label=<", heading(picture), ">];\n");
  text +=
      cat("  node [shape=box, style=\"rounded,filled\", margin=\"0.12,0.04\", fontsize=11, "
          "fontname=\"",
          kFont, "\"];\n");
  text += cat("  edge [color=\"#64748b\", fontcolor=\"", kFaint,
              "\", fontsize=9, arrowsize=0.7, fontname=\"", kFont, "\"];\n");
  const std::vector<std::string> names = quoted_names(picture.nodes);
  for (std::size_t i = 0; i < picture.nodes.size(); ++i) {
    const DotNode& node = picture.nodes[i];
    text += cat("  ", names[i], " [fillcolor=\"", node.colour.fill, "\", color=\"",
                node.colour.border, "\", label=<", node_label(node), ">];\n");
  }
  for (const DotEdge& edge : picture.edges) {
    text += cat("  ", names[edge.from], " -> ", names[edge.to]);
    if (!edge.label.empty()) text += cat(" [label=<&nbsp;", escaped(edge.label), ">]");
    text += ";\n";
  }
  return text + "}\n";
}

}  // namespace chop::report

// The styles of Python's tabulate.
#include "report/table_style.hpp"

namespace chop::report {
namespace {

constexpr TableRule kPrettyRule = {"+", '-', "+", "+"};
constexpr TableRule kGridHeaderRule = {"+", '=', "+", "+"};

}  // namespace

DrawnStyle drawn_style(TableStyle style) {
  switch (style) {
    case TableStyle::Pretty:
      return {.top = kPrettyRule,
              .below_header = kPrettyRule,
              .bottom = kPrettyRule,
              .begin = "|",
              .separator = "|",
              .end = "|",
              .header_room = 0,
              .centred = true};
    case TableStyle::Grid:
      return {.top = kPrettyRule,
              .below_header = kGridHeaderRule,
              .between_rows = kPrettyRule,
              .bottom = kPrettyRule,
              .begin = "|",
              .separator = "|",
              .end = "|"};
    case TableStyle::Orgtbl:
      return {.below_header = {"|", '-', "+", "|"}, .begin = "|", .separator = "|", .end = "|"};
    case TableStyle::Markdown:
      return {.below_header = {"|", '-', "|", "|"}, .begin = "|", .separator = "|", .end = "|"};
    case TableStyle::Simple:
    case TableStyle::Latex:  // not drawn
      break;
  }
  return {.below_header = {"", '-', "  ", ""}, .separator = "  ", .padding = 0};
}

}  // namespace chop::report

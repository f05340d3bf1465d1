#include "cli/output.hpp"

#include <nlohmann/json.hpp>

#include "support/files.hpp"

namespace chop {

bool prints_text(const Invocation& invocation) {
  return invocation.settings.text("json") != "-";
}

Status write_json(const Invocation& invocation, const nlohmann::ordered_json& json) {
  const auto target = invocation.settings.text("json");
  if (!target) return {};
  // Text from outside may hold broken UTF-8; a replacement character beats no file at all.
  const std::string text =
      json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (*target != "-") return write_file(*target, text);
  invocation.out << text;
  return {};
}

Status print_table(const Invocation& invocation, const Table& table, TableStyle style) {
  if (prints_text(invocation))
    invocation.out << render(table, {.style = style, .colour = invocation.colour});
  return write_json(invocation, to_json(table));
}

}  // namespace chop

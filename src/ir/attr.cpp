#include "ir/attr.hpp"

#include <array>

#include "support/text.hpp"

namespace chop {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

template <class T, class Show>
std::string listed(const std::vector<T>& values, Show show) {
  std::vector<std::string> parts;
  parts.reserve(values.size());
  for (const T& value : values) parts.push_back(show(value));
  return join(parts, ", ");
}

std::string show_int(std::int64_t value) {
  return std::to_string(value);
}

struct ToText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return show_int(value); }
  std::string operator()(double value) const { return exact(value); }
  std::string operator()(const std::string& value) const { return quoted(value); }
  std::string operator()(const Ints& values) const { return "[" + listed(values, show_int) + "]"; }
  std::string operator()(const std::vector<double>& values) const {
    return "reals[" + listed(values, [](double v) { return exact(v); }) + "]";
  }
};

struct ToPython {
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(std::int64_t value) const { return show_int(value); }
  std::string operator()(double value) const { return python_repr(value); }
  std::string operator()(const std::string& value) const { return "'" + value + "'"; }
  std::string operator()(const Ints& values) const {
    return "(" + listed(values, show_int) + (values.size() == 1 ? ",)" : ")");
  }
  std::string operator()(const std::vector<double>& values) const {
    return "(" + listed(values, python_repr) + (values.size() == 1 ? ",)" : ")");
  }
};

}  // namespace

std::string_view kind_of(const Attr& attr) {
  static constexpr std::array<std::string_view, 6> kKinds = {"bool", "int",  "real",
                                                             "text", "ints", "reals"};
  return kKinds.at(attr.index());
}

std::string to_text(const Attr& attr) {
  return std::visit(ToText{}, attr);
}

std::string to_python(const Attr& attr) {
  return std::visit(ToPython{}, attr);
}

Result<Attr> convert_like(const Attr& pattern, const Attr& value) {
  if (pattern.index() == value.index()) return value;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    if (std::holds_alternative<double>(pattern)) return Attr(static_cast<double>(*whole));
    if (std::holds_alternative<Ints>(pattern)) return Attr(Ints{*whole});
  }
  return Error{
      .what = cat(to_text(value), " is a ", kind_of(value), ", expected a ", kind_of(pattern))};
}

}  // namespace chop

#include "support/pattern.hpp"

#include <regex>

namespace chop::support {

struct Pattern::Compiled {
  std::regex regex;
};

Result<Pattern> Pattern::compile(const std::string& text) {
  try {
    return Pattern(std::make_shared<const Compiled>(Compiled{std::regex(text)}));
  } catch (const std::regex_error& wrong) {
    return Error{.what = cat("not a regular expression: ", wrong.what())};
  }
}

bool Pattern::matches(std::string_view text) const {
  return std::regex_match(text.begin(), text.end(), compiled_->regex);
}

}  // namespace chop::support

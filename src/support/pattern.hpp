// Regular expressions (ECMAScript's). The standard header is included by pattern.cpp alone, because
// it takes seconds to compile.
#pragma once

#include "support/result.hpp"

namespace chop::support {

class Pattern {
 public:
  /// The error says why the text is not a regular expression.
  static Result<Pattern> compile(const std::string& text);

  /// True when the whole text matches.
  bool matches(std::string_view text) const;

 private:
  struct Compiled;

  explicit Pattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace chop::support

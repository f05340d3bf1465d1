#include "support/result.hpp"

namespace chop::support {

Failure::Failure(Error&& error) : error_(new Error(std::move(error))) {}
Failure::Failure(const Failure& other)
    : error_(other.error_ == nullptr ? nullptr : new Error(*other.error_)) {}

void Failure::destroy(Error* error) {
  delete error;
}

std::string to_string(const Error& error) {
  std::string text = "error: " + error.what + "\n";
  for (const std::string& note : error.notes) text += "  note: " + note + "\n";
  if (!error.hint.empty()) text += "  hint: " + error.hint + "\n";
  return text;
}

}  // namespace chop::support

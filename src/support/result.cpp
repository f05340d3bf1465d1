#include "support/result.hpp"

namespace chop {

std::string to_string(const Error& error) {
  std::string text = "error: " + error.what + "\n";
  for (const std::string& note : error.notes) text += "  note: " + note + "\n";
  if (!error.hint.empty()) text += "  hint: " + error.hint + "\n";
  return text;
}

}  // namespace chop

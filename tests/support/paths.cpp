#include "support/paths.hpp"

namespace chop::test {

std::string source_path(std::string_view file) {
  return std::string(CH_SOURCE_DIR "/").append(file);
}

}  // namespace chop::test

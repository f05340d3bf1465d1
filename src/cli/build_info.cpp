#include "cli/build_info.hpp"

#include "commit.inc"
#include "support/cat.hpp"

namespace chop::cli {

BuildInfo build_info() {
#ifdef __clang__
  const std::string_view compiler = "";  // __VERSION__ begins with its name
#else
  const std::string_view compiler = "GCC ";
#endif
  return {.version = CH_VERSION,
          .commit = CH_COMMIT,
          .compiler = cat(compiler, __VERSION__),
          .type = CH_BUILD_TYPE};
}

}  // namespace chop::cli

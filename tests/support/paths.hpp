// Where the files of the project lie. A function, so that one file alone is compiled with the path
// of the clone and the compiler cache serves all clones.
#pragma once

#include <string>
#include <string_view>

namespace chop::test {

/// The whole path of a file of the project: source_path("configs/examples/jsc_mlp.toml").
std::string source_path(std::string_view file);

}  // namespace chop::test

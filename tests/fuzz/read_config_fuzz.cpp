// links: ch_train ch_models cli/settings/config_file.cpp cli/settings/setting_*.cpp
// links: cli/settings/own_settings.cpp cli/compat/reference_settings.cpp
// Whatever text arrives as a configuration file, the reader answers with settings or an Error,
// and so do the readers of its tables and of the same words on the command line.
#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/settings/config_file.hpp"
#include "config/toml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(data, data + size);
  constexpr std::array<std::string_view, 2> kLists = {"model", "batch_size"};
  const auto config = chop::parse_config(text, "fuzz.toml", chop::all_settings(), kLists);
  if (config) {
    for (const chop::Assignment& value : config.value().values)
      if (value.alternatives.empty()) std::abort();
    if (!config.value().tree.is_table()) std::abort();
  } else if (config.error().what.empty()) {
    std::abort();
  }
  const std::vector<std::string> words = {text.substr(0, text.find('\n')), "a.b=3"};
  const auto tree = chop::read_words(words);
  if (tree ? tree.value().as_table() == nullptr : tree.error().what.empty()) std::abort();
  return 0;
}

// links: ch_models
// Whatever text arrives, the reader of networks answers with layers or with an Error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "config/toml.hpp"
#include "models/network.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const chop::Result<chop::Tree> tree = chop::parse_toml(text, "fuzz.toml");
  if (!tree) return 0;
  const chop::Result<chop::NetworkSpec> network = chop::read_network(tree.value(), "fuzz.toml");
  if (network ? network.value().layers.empty() : network.error().what.empty()) std::abort();
  return 0;
}

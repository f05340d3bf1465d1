#include "data/fetch/curl_library.hpp"

#include <dlfcn.h>

namespace chop::data {
namespace {

Result<CurlLibrary> open_curl() {
  const auto failed = [](const std::string& why) {
    return Error{.what = cat("curl's library cannot be used: ", why),
                 .hint =
                     "apt-get install libcurl4, or fetch the files by hand: `ch data` lists "
                     "where they belong"};
  };
  void* const library = dlopen(CH_CURL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return failed(dlerror());
  CurlLibrary found;
#define CH_CURL_FIND(name)                                                    \
  found.name = reinterpret_cast<decltype(found.name)>(dlsym(library, #name)); \
  if (found.name == nullptr) return failed("it has no " #name);
  CH_CURL_SYMBOLS(CH_CURL_FIND)
#undef CH_CURL_FIND
  if (found.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return failed("it does not start");
  return found;
}

}  // namespace

Result<const CurlLibrary*> load_curl() {
  static const Result<CurlLibrary> loaded = open_curl();
  if (!loaded) return loaded.error();
  return &loaded.value();
}

}  // namespace chop::data

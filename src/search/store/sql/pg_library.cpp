#include "search/store/sql/pg_library.hpp"

#include <dlfcn.h>

namespace chop::search {
namespace {

Result<PqLibrary> open_library() {
  const auto failed = [](const std::string& why) {
    return Error{.what = cat("PostgreSQL's client library cannot be used: ", why),
                 .hint = "apt-get install libpq5, or keep the study in a SQLite file"};
  };
  void* const library = dlopen(CH_PQ_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return failed(dlerror());
  PqLibrary found;
#define CH_PQ_FIND(name)                                                      \
  found.name = reinterpret_cast<decltype(found.name)>(dlsym(library, #name)); \
  if (found.name == nullptr) return failed("it has no " #name);
  CH_PQ_SYMBOLS(CH_PQ_FIND)
#undef CH_PQ_FIND
  return found;
}

}  // namespace

Result<const PqLibrary*> load_pq() {
  static const Result<PqLibrary> loaded = open_library();
  if (!loaded) return loaded.error();
  return &loaded.value();
}

}  // namespace chop::search

#include "io/tables/hdf5_library.hpp"

#include <dlfcn.h>

namespace chop::io {
namespace {

/// A program that is also linked with the library (our tests are) has its own copies of the
/// library's variables; those are the ones to use.
void* find(void* library, const char* name) {
  void* const linked = dlsym(RTLD_DEFAULT, name);
  return linked != nullptr ? linked : dlsym(library, name);
}

Result<Hdf5> open_library() {
  const auto failed = [](const std::string& why) {
    return Error{.what = cat("HDF5's library cannot be used: ", why),
                 .hint = "apt-get install libhdf5-dev, or give the data as .npz or .csv"};
  };
  void* const library = dlopen(CH_HDF5_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return failed(dlerror());
  Hdf5 found;
// Some of the names are macros for others (H5Lget_info2 since 1.12): what they stand for is looked
// up.
#define CH_HDF5_QUOTE(name) #name
#define CH_HDF5_FIND(name)                                                                 \
  found.name = reinterpret_cast<decltype(found.name)>(find(library, CH_HDF5_QUOTE(name))); \
  if (found.name == nullptr) return failed("it has no " CH_HDF5_QUOTE(name));
  CH_HDF5_SYMBOLS(CH_HDF5_FIND)
#undef CH_HDF5_FIND
#undef CH_HDF5_QUOTE
  if (found.H5open() < 0) return failed("it does not start");
  return found;
}

}  // namespace

Result<const Hdf5*> load_hdf5() {
  static const Result<Hdf5> loaded = open_library();
  if (!loaded) return loaded.error();
  return &loaded.value();
}

}  // namespace chop::io

// libcurl, loaded when something is to be downloaded: with its encryption it takes longer to load
// than the rest of the program.
#pragma once

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "support/result.hpp"

// What we call of it.
#define CH_CURL_SYMBOLS(X) \
  X(curl_easy_cleanup)     \
  X(curl_easy_getinfo)     \
  X(curl_easy_init)        \
  X(curl_easy_perform)     \
  X(curl_easy_setopt)      \
  X(curl_easy_strerror)    \
  X(curl_global_init)      \
  X(curl_slist_append)     \
  X(curl_slist_free_all)

namespace chop::data {

/// Addresses of functions under their own names.
struct CurlLibrary {
#define CH_CURL_MEMBER(name) decltype(&::name) name = nullptr;
  CH_CURL_SYMBOLS(CH_CURL_MEMBER)
#undef CH_CURL_MEMBER
};

/// Loaded and initialised; stays so until the program ends.
Result<const CurlLibrary*> load_curl();

}  // namespace chop::data

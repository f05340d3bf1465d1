#include "data/fetch/transfer.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "data/fetch/curl_library.hpp"
#include "support/text.hpp"

namespace chop::data {
namespace {

constexpr long kMostRedirects = 10;
constexpr int kProxyRefuses = 407;
/// Of a body, in the time a server may take: slower ones would never end.
constexpr std::size_t kLeastBytes = 1024;

double clock_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return lower;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const std::optional<std::int64_t> value = parse_int(text);
  if (!value || *value < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

/// "bytes 100-199/1000"
void read_content_range(std::string_view value, Response& response) {
  constexpr std::string_view kUnit = "bytes ";
  if (!value.starts_with(kUnit)) return;
  value.remove_prefix(kUnit.size());
  const std::size_t dash = value.find('-');
  const std::size_t slash = value.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos) return;
  response.range_from = parse_size(value.substr(0, dash));
  response.total = parse_size(value.substr(slash + 1));
}

void read_header(std::string_view line, Response& response) {
  if (line.starts_with("HTTP/")) {  // the first of an answer; earlier ones were redirects
    response = {};
    const std::size_t space = std::min(line.find(' '), line.size());
    response.status =
        static_cast<int>(parse_int(trim(line.substr(space)).substr(0, 3)).value_or(0));
    response.shows_its_end = !line.starts_with("HTTP/1");
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = in_lower_case(line.substr(0, colon));
  const std::string_view value = trim(line.substr(colon + 1));
  if (name == "location") response.location = value;
  if (name == "content-length") response.length = parse_size(value);
  if (name == "content-length" || name == "transfer-encoding") response.shows_its_end = true;
  if (name == "content-range") read_content_range(value, response);
  if (name == "etag") response.etag = value;
  if (name == "last-modified") response.last_modified = value;
}

/// Whether no_proxy names the host of `url`, itself or a domain that it is in.
bool goes_without_proxy(const std::string& url) {
  const char* names = std::getenv("no_proxy");
  if (names == nullptr) names = std::getenv("NO_PROXY");
  if (names == nullptr) return false;
  std::string host = in_lower_case(url.substr(std::min(url.find("://") + 3, url.size())));
  host.erase(std::min(host.find_first_of("/?#"), host.size()));
  host.erase(0, host.rfind('@') + 1);  // a name and a password
  host.erase(std::min(host.find(':'), host.size()));
  const bool is_number = host.find_first_not_of("0123456789.") == std::string::npos;
  for (std::string name : split(in_lower_case(names), ',')) {
    name = trim(name);
    if (name == "*" || name == host) return true;
    if (name.starts_with('.')) name.erase(0, 1);
    if (!is_number && !name.empty() && (host == name || host.ends_with("." + name))) return true;
  }
  return false;
}

/// The variable that curl takes the proxy for `url` from; empty where there is none.
std::string proxy_variable(const std::string& url) {
  if (goes_without_proxy(url)) return {};
  const bool https = in_lower_case(url).starts_with("https:");
  std::vector<std::string> names = {"http_proxy"};
  if (https) names = {"https_proxy", "HTTPS_PROXY"};
  names.insert(names.end(), {"all_proxy", "ALL_PROXY"});
  for (const std::string& name : names)
    if (const char* value = std::getenv(name.c_str()); value != nullptr && *value != '\0')
      return name;
  return {};
}

/// One transfer while it runs; curl calls its functions.
class Transfer {
 public:
  Transfer(const CurlLibrary& curl, const Request& request, const Patience& patience)
      : curl_(curl), request_(request), patience_(patience), handle_(curl.curl_easy_init()) {}
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() {
    if (headers_ != nullptr) curl_.curl_slist_free_all(headers_);
    if (handle_ != nullptr) curl_.curl_easy_cleanup(handle_);
  }

  Result<TransferResult> run() {
    if (handle_ == nullptr) return Error{.what = "curl's library does not start"};
    set_up();
    const CURLcode code = curl_.curl_easy_perform(handle_);
    if (code == CURLE_OK && response_.status / 100 == 2) begin();  // of an empty body
    if (failure_) return std::move(failure_);
    if (cancelled_) return TransferResult{.end = TransferEnd::Cancelled, .response = response_};
    if (response_.status >= 400)
      return TransferResult{
          .end = TransferEnd::Refused, .response = response_, .why = refusal(response_.status)};
    if (code == CURLE_UNSUPPORTED_PROTOCOL && !response_.location.empty()) return bad_redirect();
    if (code == CURLE_OK && response_.status / 100 == 2)
      return TransferResult{.response = response_};
    return TransferResult{.end = TransferEnd::BrokenOff, .response = response_, .why = why(code)};
  }

 private:
  bool is_https() const { return in_lower_case(request_.url).starts_with("https:"); }

  Error bad_redirect() const {
    return Error{.what = cat("'", request_.url, "' redirects to '", response_.location,
                             "', which is not ", is_https() ? "https" : "http or https"),
                 .hint = "nothing is downloaded from there"};
  }

  static std::string refusal(int status) {
    if (status == kProxyRefuses) return "the proxy wants a name and a password (status 407)";
    return cat("the server answers with status ", status);
  }

  std::string why(CURLcode code) const {
    if (stalled_)
      return came_ == 0 ? cat("no byte came for ", patience_.stall_seconds, " s")
                        : cat("only ", came_, " bytes came in ", patience_.stall_seconds, " s");
    if (code == CURLE_OK) return refusal(response_.status);
    if (message_[0] != '\0') return message_.data();
    return curl_.curl_easy_strerror(code);
  }

  template <class T>
  void set(CURLoption option, T value) {
    curl_.curl_easy_setopt(handle_, option, value);
  }

  void set_up() {
    set(CURLOPT_URL, request_.url.c_str());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_USERAGENT, "ch/" CH_VERSION);
    set(CURLOPT_ERRORBUFFER, message_.data());
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, kMostRedirects);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, is_https() ? "https" : "http,https");
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(patience_.connect_seconds * 1000));
    if (const char* trusted = std::getenv("SSL_CERT_FILE"); trusted != nullptr && *trusted != '\0')
      set(CURLOPT_CAINFO, trusted);
    for (const std::string& header : request_.headers)
      headers_ = curl_.curl_slist_append(headers_, header.c_str());
    set(CURLOPT_HTTPHEADER, headers_);
    set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);  // they are a proxy's, not the server's
    set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Transfer::on_wait);
    set(CURLOPT_XFERINFODATA, this);
  }

  void wait_anew() {
    waiting_since_ = clock_seconds();
    came_ = 0;
  }

  bool begin() {
    if (std::exchange(began_, true)) return true;
    if (Status status = request_.begin(response_); !status) {
      failure_ = std::move(status).failure();
      return false;
    }
    return true;
  }

  static std::size_t on_header(char* text, std::size_t size, std::size_t count, void* self) {
    auto& here = *static_cast<Transfer*>(self);
    const std::string_view line(text, size * count);
    read_header(line, here.response_);
    if (line.starts_with("HTTP/") && here.response_.status >= 200) here.wait_anew();
    return size * count;
  }

  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self) {
    auto& here = *static_cast<Transfer*>(self);
    here.came_ += size * count;
    if (here.came_ >= kLeastBytes) here.wait_anew();
    if (here.response_.status / 100 != 2 || !here.begin()) return 0;
    Status status = here.request_.body(std::as_bytes(std::span(bytes, size * count)));
    if (status) return size * count;
    here.failure_ = std::move(status).failure();
    return 0;
  }

  static int on_wait(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    auto& here = *static_cast<Transfer*>(self);
    here.cancelled_ = here.patience_.cancelled && here.patience_.cancelled();
    if (here.waiting_since_ == 0) {  // of connecting, curl knows the limit itself
      double connected = 0;
      here.curl_.curl_easy_getinfo(here.handle_, CURLINFO_PRETRANSFER_TIME, &connected);
      if (connected > 0) here.wait_anew();
    } else {
      here.stalled_ = clock_seconds() - here.waiting_since_ > here.patience_.stall_seconds;
    }
    return here.cancelled_ || here.stalled_ ? 1 : 0;
  }

  const CurlLibrary& curl_;
  const Request& request_;
  const Patience& patience_;
  CURL* handle_ = nullptr;
  curl_slist* headers_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> message_ = {};
  Response response_;
  Failure failure_;
  double waiting_since_ = 0;  ///< for an answer, or for kLeastBytes; 0: not yet connected
  std::size_t came_ = 0;      ///< bytes of the body since then
  bool began_ = false;
  bool cancelled_ = false;
  bool stalled_ = false;
};

}  // namespace

Error transfer_error(const std::string& url, const TransferResult& result) {
  Error error{.what = cat("cannot download '", url, "': ", result.why)};
  const int status = result.response.status;
  if (const std::string proxy = proxy_variable(url);
      !proxy.empty() && (status == 0 || status == kProxyRefuses))
    error.notes.push_back(
        cat(proxy, " names a proxy to ask; no_proxy names hosts to ask without one"));
  return error;
}

Result<TransferResult> transfer(const Request& request, const Patience& patience) {
  const std::string url = in_lower_case(request.url);
  if (!url.starts_with("http://") && !url.starts_with("https://"))
    return Error{.what = cat("'", request.url, "' is not an address to download from"),
                 .hint = "addresses begin with http:// or https://"};
  CH_TRY(const CurlLibrary* curl, load_curl());
  return Transfer(*curl, request, patience).run();
}

}  // namespace chop::data

// One request over HTTP: headers and body as they come, with limits on waiting and on redirects.
#pragma once

#include <functional>

#include "support/result.hpp"

namespace chop::data {

/// Seconds that a server may take, and what to ask while waiting.
struct Patience {
  double connect_seconds = 30;
  double stall_seconds = 60;             ///< without an answer, or with less than 1 KiB of a body
  std::function<bool()> cancelled = {};  ///< asked about once a second; true ends the transfer
};

/// What a server says before it sends a body.
struct Response {
  int status = 0;
  std::string location;                     ///< where it redirects to
  std::optional<std::uint64_t> length;      ///< of the body
  std::optional<std::uint64_t> range_from;  ///< of a part: its first byte
  std::optional<std::uint64_t> total;       ///< of a part: bytes of the whole
  bool shows_its_end = false;               ///< a body that breaks off is not taken for a whole one
  std::string etag;
  std::string last_modified;
};

struct Request {
  std::string url;
  std::vector<std::string> headers = {};
  /// Called once, before the body of a 2xx answer; an error ends the transfer.
  std::function<Status(const Response&)> begin = {};
  std::function<Status(std::span<const std::byte>)> body = {};
};

enum class TransferEnd : std::uint8_t { Done, Cancelled, BrokenOff, Refused };

struct TransferResult {
  TransferEnd end = TransferEnd::Done;
  Response response = {};  ///< the last one
  std::string why = {};    ///< it was broken off, or refused by the server's status
};

/// Why nothing was transferred: `result.why`, and that a proxy is asked where nobody else answered.
Error transfer_error(const std::string& url, const TransferResult& result);

/// Only http and https, and of https only https: whatever else a server redirects to is an error,
/// as are those of `begin` and `body`. Proxies are taken from the usual variables (https_proxy,
/// no_proxy, ...), other certificates to trust from SSL_CERT_FILE.
Result<TransferResult> transfer(const Request& request, const Patience& patience);

}  // namespace chop::data

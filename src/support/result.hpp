// A value, or the reason there is none.
//
// Anything the *user* can cause (a bad file, an unknown op, a wrong shape, a wrong
// flag) travels as a Result. Anything only *we* can cause is an assertion. Nothing
// in src/ throws.
#pragma once

#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace chop {

/// Joins anything printable into one string: cat("rank ", 3, " of '", name, "'").
template <class... Parts>
std::string cat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

struct Error {
  std::string what;                     ///< one clause, lower-case, no final period
  std::vector<std::string> notes = {};  ///< context, innermost first ("line 7: ...")
  std::string hint = {};                ///< what to try next; may be empty

  Error&& note(std::string text) && {
    notes.push_back(std::move(text));
    return std::move(*this);
  }
};

/// Renders the three-part message every command prints.
std::string to_string(const Error& error);

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return !error_; }
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace chop

#define CH_CONCAT_IMPL(a, b) a##b
#define CH_CONCAT(a, b) CH_CONCAT_IMPL(a, b)

/// `CH_TRY(auto graph, read(path));` binds the value or returns the error.
#define CH_TRY(decl, expr)                                                                   \
  auto CH_CONCAT(result_, __LINE__) = (expr);                                                \
  if (!CH_CONCAT(result_, __LINE__)) return std::move(CH_CONCAT(result_, __LINE__)).error(); \
  decl = std::move(CH_CONCAT(result_, __LINE__)).value()

/// `CH_CHECK(verify(graph));` returns the error, if there is one.
#define CH_CHECK(expr)                                                                \
  do {                                                                                \
    if (::chop::Status status_ = (expr); !status_) return std::move(status_).error(); \
  } while (false)

// A value, or the reason there is none.
//
// Anything the *user* can cause (a bad file, an unknown op, a wrong shape, a wrong flag) is a
// Result. Anything only *we* can cause is an assertion. Nothing in src/ throws on purpose: only
// memory that cannot be had, and exceptions of libraries that cross a thread, are exceptions
// (support/system/threads.cpp rethrows them).
#pragma once

#include "support/cat.hpp"

namespace chop::support {

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

/// An Error on the heap, or nothing. A Result is returned by almost every function: with the error
/// behind a pointer it is cheap to move, and its code is short.
class Failure {
 public:
  Failure() = default;
  Failure(Error&& error);
  Failure(const Failure& other);
  Failure(Failure&& other) noexcept : error_(std::exchange(other.error_, nullptr)) {}
  Failure& operator=(Failure other) noexcept {
    std::swap(error_, other.error_);
    return *this;
  }
  ~Failure() {
    if (error_ != nullptr) destroy(error_);
  }

  explicit operator bool() const { return error_ != nullptr; }
  Error& operator*() const { return *error_; }

 private:
  static void destroy(Error* error);

  Error* error_ = nullptr;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error&& error) : failure_(std::move(error)) {}
  Result(const Error& error) : failure_(Error(error)) {}
  Result(Failure&& failure) : failure_(std::move(failure)) {}

  explicit operator bool() const { return value_.has_value(); }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return *std::move(value_); }
  const Error& error() const& { return *failure_; }
  Error&& error() && { return std::move(*failure_); }
  Failure&& failure() && { return std::move(failure_); }

 private:
  std::optional<T> value_;
  Failure failure_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error&& error) : failure_(std::move(error)) {}
  Result(const Error& error) : failure_(Error(error)) {}
  Result(Failure&& failure) : failure_(std::move(failure)) {}

  explicit operator bool() const { return !failure_; }
  const Error& error() const& { return *failure_; }
  Error&& error() && { return std::move(*failure_); }
  Failure&& failure() && { return std::move(failure_); }

 private:
  Failure failure_;
};

using Status = Result<void>;

}  // namespace chop::support

#define CH_CONCAT_IMPL(a, b) a##b
#define CH_CONCAT(a, b) CH_CONCAT_IMPL(a, b)

/// `CH_TRY(auto graph, read(path));` binds the value or returns the error.
#define CH_TRY(decl, expr)                                                                     \
  auto CH_CONCAT(result_, __LINE__) = (expr);                                                  \
  if (!CH_CONCAT(result_, __LINE__)) return std::move(CH_CONCAT(result_, __LINE__)).failure(); \
  decl = std::move(CH_CONCAT(result_, __LINE__)).value()

/// `CH_CHECK(verify(graph));` returns the error, if there is one.
#define CH_CHECK(expr)                                                                  \
  do {                                                                                  \
    if (::chop::Status status_ = (expr); !status_) return std::move(status_).failure(); \
  } while (false)

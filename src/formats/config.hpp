// The configuration of a format: what keys it has, and a checked, complete set of values.
#pragma once

#include "config/field.hpp"
#include "ir/attr.hpp"
#include "support/result.hpp"

namespace chop::formats {

/// Values by key, complete: every key of the format but those that may be absent.
class Config {
 public:
  explicit Config(Attrs values) : values_(std::move(values)) {}

  bool has(std::string_view key) const { return values_.contains(std::string(key)); }
  bool flag(std::string_view key) const { return std::get<bool>(at(key)); }
  int integer(std::string_view key) const {
    return static_cast<int>(std::get<std::int64_t>(at(key)));
  }
  double real(std::string_view key) const { return std::get<double>(at(key)); }
  const std::string& text(std::string_view key) const { return std::get<std::string>(at(key)); }
  const Ints& ints(std::string_view key) const { return std::get<Ints>(at(key)); }
  const std::vector<double>& reals(std::string_view key) const {
    return std::get<std::vector<double>>(at(key));
  }

  void set(std::string_view key, Attr value) { values_[std::string(key)] = std::move(value); }
  const Attrs& values() const { return values_; }

 private:
  const Attr& at(std::string_view key) const;

  Attrs values_;
};

/// `given` with "NA" dropped, kinds converted, defaults filled in. An unknown key, a missing
/// one, a wrong kind or a value out of range is an error naming the key and what it takes.
/// Keys the format derives are left to it.
Result<Config> complete_keys(std::string_view format, std::span<const Field> keys,
                             const Attrs& given);

}  // namespace chop::formats

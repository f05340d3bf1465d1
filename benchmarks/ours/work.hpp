// A work: something to be measured again and again. Every file of works/ defines one.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/result.hpp"

namespace chop {

/// What the command line says: `model=jsc-tiny batch=256`.
class WorkArgs {
 public:
  static Result<WorkArgs> parse(int count, char** words);
  std::string text(const std::string& key, std::string_view otherwise = "") const;
  std::int64_t number(const std::string& key, std::int64_t otherwise) const;

 private:
  std::map<std::string, std::string> values_;
};

using Numbers = std::vector<std::pair<std::string, double>>;

/// A work set up and warm.
struct PreparedWork {
  /// What must be the same for every peer, such as the number of parameters.
  Numbers facts = {};
  /// One round, a quarter of a second or so.
  std::function<Result<Numbers>()> measure;
};

struct WorkDef {
  std::string_view name;
  std::string_view doc;
  Result<PreparedWork> (*prepare)(const WorkArgs& args) = nullptr;
};

/// Seconds `work` takes.
template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Calls something so often that a round is long enough to be measured.
class Repeated {
 public:
  /// Calls it until a fifth of a second has passed, which warms everything up too.
  explicit Repeated(std::function<void()> once) : once_(std::move(once)) {
    once_();
    double passed = 0;
    for (; passed < kSeconds; count_ *= 2) passed = seconds_of([this] { repeat(); });
    count_ /= 2;
    if (passed > 0) count_ = 1 + static_cast<std::int64_t>(kSeconds / passed * double(count_));
  }
  /// Per call, over one round, which begins warm: others have worked meanwhile.
  double seconds() const {
    for (double passed = 0; passed < kWarm;) passed += seconds_of(once_);
    return seconds_of([this] { repeat(); }) / static_cast<double>(count_);
  }

 private:
  static constexpr double kSeconds = 0.2;
  static constexpr double kWarm = 0.05;
  void repeat() const {
    for (std::int64_t i = 0; i < count_; ++i) once_();
  }
  std::function<void()> once_;
  std::int64_t count_ = 1;
};

}  // namespace chop

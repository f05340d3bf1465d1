// Stores for tests: one of each kind, empty. PostgreSQL only where CH_TEST_POSTGRESQL names a data
// base that may be filled (tests/support/postgres_server.py starts one).
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "search/store/store.hpp"
#include "unit/io/temp_folder.hpp"

namespace chop::testing {

inline std::vector<std::string> store_kinds() {
  std::vector<std::string> kinds = {"memory", "sqlite"};
  if (std::getenv("CH_TEST_POSTGRESQL") != nullptr) kinds.emplace_back("postgresql");
  return kinds;
}

/// Opens stores of one kind; all of them but "memory" share what is in them.
class StorePlace {
 public:
  explicit StorePlace(std::string kind) : kind_(std::move(kind)) {}

  std::string url() const {
    if (kind_ == "memory") return "memory";
    if (kind_ == "sqlite") return "sqlite:///" + (folder_ / "study.db").string();
    return std::getenv("CH_TEST_POSTGRESQL");
  }
  std::unique_ptr<StudyStore> open() const {
    Result<std::unique_ptr<StudyStore>> store = open_store(url());
    EXPECT_TRUE(store) << to_string(store.error());
    return std::move(store).value();
  }

 private:
  std::string kind_;
  TempFolder folder_;
};

/// A trial with something of everything, different for each number.
inline Trial busy_trial(std::int64_t number, TrialState state = TrialState::Complete) {
  const auto x = static_cast<double>(number);
  Trial trial{.number = number, .state = state};
  trial.parameters = {{"layer/width", Distribution::categorical({2, 4, 8.5, "text", true, Tree()}),
                       static_cast<double>(number % 6)},
                      {"depth", Distribution::integer(1, 9, 2), 3},
                      {"rate", Distribution::real(1e-5, 1e-1, 0, true), 1e-3 / (x + 1.0)}};
  trial.reports = {{1, 0.5 + x}, {2, 1.0 / 3.0}};
  trial.user = {{"loss", "0.25"}, {"nested", R"({"a": [1, null, "\u00e9"]})"}};
  trial.system = {{"from", cat(number)}};
  trial.started = local_now();
  if (is_finished(state)) trial.completed = trial.started + 1234567;
  if (state == TrialState::Complete) trial.values = {x / 7.0, -x};
  return trial;
}

inline bool same_number(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

inline void expect_same(const Trial& a, const Trial& b) {
  EXPECT_EQ(a.number, b.number);
  EXPECT_EQ(a.state, b.state) << a.number;
  EXPECT_EQ(a.parameters, b.parameters) << a.number;
  EXPECT_EQ(a.values, b.values) << a.number;
  ASSERT_EQ(a.reports.size(), b.reports.size()) << a.number;
  for (const auto& [step, value] : a.reports)
    EXPECT_TRUE(same_number(value, b.reports.at(step))) << a.number << " at " << step;
  EXPECT_EQ(a.user, b.user) << a.number;
  EXPECT_EQ(a.system, b.system) << a.number;
  EXPECT_EQ(a.started, b.started) << a.number;
  EXPECT_EQ(a.completed, b.completed) << a.number;
}

/// What went well, or a failure of the test.
template <class T>
T must(Result<T> result) {
  EXPECT_TRUE(result) << to_string(result.error());
  return std::move(result).value();
}
inline void must(const Status& status) {
  EXPECT_TRUE(status) << to_string(status.error());
}

}  // namespace chop::testing

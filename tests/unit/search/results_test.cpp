// Which of several best trials is the one to keep.
#include "search/results.hpp"

#include <gtest/gtest.h>

namespace chop {
namespace {

Trial with_accuracy(std::int64_t number, const std::string& accuracy) {
  Trial trial{.number = number, .state = TrialState::Complete};
  trial.user["software_metrics"] = "{\"accuracy\": " + accuracy + "}";
  return trial;
}

/// A scale below 0 turns a metric round, and its direction with it.
TEST(Favourite, HasTheBestMetricTimesItsScale) {
  const Trial bad = with_accuracy(0, "0.4");
  const Trial good = with_accuracy(1, "0.6");
  const std::vector<const Trial*> best = {&bad, &good};
  const auto number_of = [&best](double scale, Direction direction) {
    const ObjectiveMetric metric{"accuracy", scale, direction, false};
    return favourite(best, {&metric, 1})->number;
  };
  EXPECT_EQ(number_of(1, Direction::Maximise), 1);
  EXPECT_EQ(number_of(-1, Direction::Minimise), 1);
  EXPECT_EQ(number_of(1, Direction::Minimise), 0);
  EXPECT_EQ(number_of(-1, Direction::Maximise), 0);
}

}  // namespace
}  // namespace chop

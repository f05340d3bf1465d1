#include "search/store/trial.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>

#include "support/json.hpp"
#include "support/text.hpp"

namespace chop::search {
namespace {

constexpr std::array<std::string_view, 2> kDirections = {"MINIMIZE", "MAXIMIZE"};
constexpr std::array<std::string_view, 5> kStates = {"RUNNING", "COMPLETE", "PRUNED", "FAIL",
                                                     "WAITING"};
constexpr std::int64_t kMicro = 1'000'000;

/// Upper case, with z where British spelling has s.
std::string spelt(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (upper.ends_with("ISE")) upper.replace(upper.size() - 3, 3, "IZE");
  return upper;
}

}  // namespace

std::string_view name_of(Direction direction) {
  return kDirections.at(static_cast<std::size_t>(direction));
}

std::optional<Direction> direction_from_name(std::string_view name) {
  const std::string wanted = spelt(name);
  for (const Direction one : {Direction::Minimise, Direction::Maximise})
    if (name_of(one) == wanted) return one;
  return std::nullopt;
}

std::string_view word_for(Direction direction) {
  return direction == Direction::Minimise ? "minimise" : "maximise";
}

Tree attribute_value(const std::string& json) {
  Result<Tree> value = parse_json(json, "an attribute");
  return value ? std::move(value).value() : Tree(json);
}

bool better(Direction direction, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
  return direction == Direction::Minimise ? a < b : a > b;
}

std::string_view name_of(TrialState state) {
  return kStates.at(static_cast<std::size_t>(state));
}

std::optional<TrialState> state_from_name(std::string_view name) {
  const auto found = std::find(kStates.begin(), kStates.end(), name);
  if (found == kStates.end()) return std::nullopt;
  return static_cast<TrialState>(found - kStates.begin());
}

bool is_finished(TrialState state) {
  return state == TrialState::Complete || state == TrialState::Pruned || state == TrialState::Fail;
}

LocalTime local_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t micros = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  const auto seconds = static_cast<std::time_t>(micros / kMicro);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  return micros + std::int64_t{parts.tm_gmtoff} * kMicro;
}

std::string to_text(LocalTime time) {
  std::int64_t micros = time % kMicro;
  std::int64_t whole = time / kMicro;
  if (micros < 0) {
    micros += kMicro;
    --whole;
  }
  const auto seconds = static_cast<std::time_t>(whole);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  std::array<char, 16> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%06d", static_cast<int>(micros));
  return std::string(text.data(), length) + fraction.data();
}

std::optional<LocalTime> local_time_from(std::string_view text) {
  std::tm parts{};
  const std::string whole(text.substr(0, 19));
  const char* end = strptime(whole.c_str(), "%Y-%m-%d %H:%M:%S", &parts);
  if (end == nullptr) end = strptime(whole.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  const std::int64_t seconds = timegm(&parts);
  double fraction = 0;
  if (text.size() > 19) {
    const std::optional<double> found = parse_double(cat("0", text.substr(19)));
    if (text[19] != '.' || !found || !(*found < 1)) return std::nullopt;
    fraction = *found;
  }
  return seconds * kMicro + std::llround(fraction * static_cast<double>(kMicro));
}

}  // namespace chop::search

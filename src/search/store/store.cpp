#include "search/store/store.hpp"

#include "support/text.hpp"

namespace chop::search {
namespace {

/// "host=a password='b c' user=d" with *** for every password, whatever stands around it.
std::string shown_keywords(std::string shown) {
  constexpr std::string_view kWord = "password", kBetween = "= \t\r\n";
  for (std::size_t at = lower_case(shown).find(kWord); at != shown.npos;
       at = lower_case(shown).find(kWord, at)) {
    at = std::min(shown.find_first_not_of(kBetween, at + kWord.size()), shown.size());
    const bool quoted = shown.compare(at, 1, "'") == 0;
    std::size_t end = at + (quoted ? 1 : 0);
    while (end < shown.size() &&
           (quoted ? shown[end] != '\'' : kBetween.find(shown[end], 1) == kBetween.npos))
      end += shown[end] == '\\' ? 2 : 1;
    end = std::min(end + (quoted ? 1 : 0), shown.size());
    shown.replace(at, end - at, "***");
  }
  return shown;
}

/// "a?password=b&c=d" with *** for every password; sslpassword= too.
std::string shown_options(std::string shown) {
  constexpr std::string_view kOption = "password=";
  for (std::size_t at = lower_case(shown).find(kOption); at != shown.npos;
       at = lower_case(shown).find(kOption, at)) {
    at += kOption.size();
    const std::size_t end = std::min(shown.find('&', at), shown.size());
    shown.replace(at, end - at, "***");
  }
  return shown;
}

}  // namespace

Result<std::unique_ptr<StudyStore>> open_store(const std::string& url, Create create) {
  std::vector<std::string> examples;
  for (const StoreDef& def : all_stores()) {
    if (def.accepts(url)) return def.open(url, create);
    examples.emplace_back(def.example);
  }
  return Error{.what = cat("'", shown_url(url), "' is not an address of a study store"),
               .hint = cat("known are ", join(examples, ", "))};
}

Status check_values(const StudyChanges& changes) {
  for (const std::vector<Trial>* trials : {&changes.changed, &changes.added})
    for (const Trial& trial : *trials)
      if (trial.state == TrialState::Complete &&
          std::any_of(trial.values.begin(), trial.values.end(),
                      [](double value) { return std::isnan(value); }))
        return Error{.what = cat("trial ", trial.number, " is complete, but a value of it is NaN"),
                     .hint = "such a trial has failed"};
  return {};
}

bool is_keyword_address(std::string_view url) {
  constexpr std::array<std::string_view, 10> kWords = {"host",    "hostaddr", "port",     "dbname",
                                                       "user",    "password", "passfile", "service",
                                                       "sslmode", "options"};
  const std::string first = lower_case(trim(url.substr(0, std::min(url.find('='), url.size()))));
  return url.find("://") == url.npos && url.find('=') != url.npos &&
         std::find(kWords.begin(), kWords.end(), first) != kWords.end();
}

std::string shown_url(const std::string& url) {
  if (is_keyword_address(url)) return shown_keywords(url);
  const std::size_t scheme = url.find(':');
  const bool is_slip = url.starts_with("postgres");  // "postgres:me:secret@host"
  if (scheme == std::string::npos || url.starts_with("sqlite") ||
      (url.find("://") == std::string::npos && !is_slip))
    return shown_options(url);
  std::string shown = url;
  const std::size_t start = url.find_first_not_of('/', scheme + 1);
  if (start == std::string::npos) return url;
  // The last @, even among the options: a password may hold some that nobody escaped.
  const std::size_t at = shown.rfind('@');
  const std::size_t colon = shown.find(':', start);
  if (at != std::string::npos && at > start && colon < at) shown.erase(colon, at - colon);
  return shown_options(std::move(shown));
}

}  // namespace chop::search

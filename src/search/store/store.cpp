#include "search/store/store.hpp"

#include "support/text.hpp"

namespace chop::search {
namespace {

/// "host=a password='b c' user=d" with *** for every value of `word`, whatever stands around it.
std::string without_value(std::string shown, std::string_view word) {
  constexpr std::string_view kBetween = "= \t\r\n";
  for (std::size_t at = lower_case(shown).find(word); at != shown.npos;
       at = lower_case(shown).find(word, at)) {
    at = std::min(shown.find_first_not_of(kBetween, at + word.size()), shown.size());
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

/// libpq knows password alone; the others are slips that it refuses.
std::string shown_keywords(std::string shown) {
  for (const std::string_view word : {"password", "passwd", "pwd"})
    shown = without_value(std::move(shown), word);
  return shown;
}

/// "me:secret@host/db": what people type who forget the scheme. It would be the name of a SQLite
/// file.
bool lacks_scheme(std::string_view url) {
  const std::size_t colon = url.find(':');
  const std::size_t at = url.rfind('@');
  return colon != 0 && colon < at && at != url.npos && url.substr(0, colon).find('/') == url.npos &&
         url.find("://") == url.npos && !url.starts_with("sqlite") && !url.starts_with("postgres");
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
  if (lacks_scheme(url))
    return Error{.what = cat("'", shown_url(url), "' has a user and a password, but no scheme"),
                 .hint = "postgresql://... for a server; sqlite:///... for a file of that name"};
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
  if (url.find("://") != url.npos) return false;
  for (std::size_t end = url.find('='); end != url.npos; end = url.find('=', end + 1)) {
    const std::string_view before = trim(url.substr(0, end));
    const std::string word = lower_case(before.substr(before.find_last_of(" \t\r\n") + 1));
    if (std::find(kWords.begin(), kWords.end(), word) != kWords.end()) return true;
  }
  return false;
}

std::string shown_url(const std::string& url) {
  if (is_keyword_address(url)) return shown_keywords(url);
  const std::size_t scheme = url.find(':');
  if (lacks_scheme(url)) return cat(url.substr(0, scheme), url.substr(url.rfind('@')));
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

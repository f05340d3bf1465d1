// What may have changed since the last read: rows with ids after the last known one, trials that
// were unfinished (their state, or parameters and reports of those that run elsewhere). Finished
// trials never change, so they are read once.
#include "search/store/sql/study_cache.hpp"

namespace chop::search {
namespace {

bool same_reports(const std::map<std::int64_t, double>& a,
                  const std::map<std::int64_t, double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first &&
           (x.second == y.second || (std::isnan(x.second) && std::isnan(y.second)));
  });
}

bool same_trial(const Trial& a, const Trial& b) {
  return a.state == b.state && a.started == b.started && a.completed == b.completed &&
         a.parameters == b.parameters && a.values == b.values &&
         same_reports(a.reports, b.reports) && a.user == b.user && a.system == b.system;
}

}  // namespace

void StudyCache::remember(std::int64_t id, const Trial& trial, bool own) {
  last_id_ = std::max(last_id_, id);
  if (is_finished(trial.state)) {
    unfinished_.erase(trial.number);
    numbers_.erase(id);
    return;
  }
  unfinished_[trial.number] = {.id = id, .known = trial, .own = own};
  numbers_[id] = trial.number;
}

Result<std::vector<Trial>> StudyCache::load(SqlConnection& connection) {
  CH_TRY(std::vector<StoredTrial> stored, reader_.read_study(connection, study_));
  std::vector<Trial> trials;
  for (StoredTrial& one : stored) {
    ids_.push_back(one.id);
    remember(one.id, one.trial, /*own=*/false);
    trials.push_back(std::move(one.trial));
  }
  rows_ = static_cast<std::int64_t>(ids_.size());
  loaded_ = true;
  return trials;
}

Result<std::vector<std::int64_t>> StudyCache::possibly_changed(SqlConnection& connection) const {
  std::vector<std::int64_t> open;
  for (const auto& [number, trial] : unfinished_) open.push_back(trial.id);
  const SqlDialect& dialect = connection.dialect();
  const std::string text =
      cat("SELECT trial_id, state FROM trials WHERE (trial_id", dialect.in_list,
          " OR trial_id > $2) AND study_id = $3 ORDER BY trial_id", dialect.hold_rows);
  CH_TRY(const SqlRows rows,
         connection.query({text, {list_argument(dialect, open), last_id_, study_}}));
  std::vector<std::int64_t> found;
  for (const SqlRow& row : rows) {
    const std::int64_t id = integer_of(row[0]);
    const auto number = numbers_.find(id);
    if (number == numbers_.end()) {
      found.push_back(id);
      continue;
    }
    // A running trial of another process may have gained parameters, reports, attributes.
    const Unfinished& known = unfinished_.at(number->second);
    const TrialState state = state_from_name(text_of(row[1])).value_or(TrialState::Fail);
    if (state != known.known.state || (state == TrialState::Running && !known.own))
      found.push_back(id);
  }
  return found;
}

bool StudyCache::update(StoredTrial& stored) {
  const auto known = numbers_.find(stored.id);
  const bool is_new = known == numbers_.end();
  if (is_new) {
    stored.trial.number = static_cast<std::int64_t>(ids_.size());
    ids_.push_back(stored.id);
    ++rows_;
  } else {
    stored.trial.number = known->second;
    if (same_trial(unfinished_.at(known->second).known, stored.trial)) return false;
  }
  remember(stored.id, stored.trial, /*own=*/false);
  return true;
}

Result<std::vector<Trial>> StudyCache::read_updates(SqlConnection& connection) {
  CH_TRY(const bool others_wrote, connection.others_wrote());
  if (!loaded_) return load(connection);
  std::vector<Trial> trials;
  if (!others_wrote) return trials;
  CH_TRY(const std::vector<std::int64_t> ids, possibly_changed(connection));
  if (ids.empty()) return trials;
  CH_TRY(std::vector<StoredTrial> stored, reader_.read_trials(connection, ids));
  for (StoredTrial& one : stored)
    if (update(one)) trials.push_back(std::move(one.trial));
  return trials;
}

Result<std::vector<std::int64_t>> StudyCache::stale(SqlConnection& connection,
                                                    double seconds) const {
  std::vector<std::int64_t> others;
  for (const auto& [number, trial] : unfinished_)
    if (!trial.own && trial.known.state == TrialState::Running) others.push_back(trial.id);
  std::vector<std::int64_t> numbers;
  if (others.empty()) return numbers;
  const SqlDialect& dialect = connection.dialect();
  const std::string text = cat("SELECT trial_id FROM trial_heartbeats WHERE trial_id",
                               dialect.in_list, " AND ", dialect.heartbeat_age, " > $2");
  CH_TRY(const SqlRows rows, connection.query({text, {list_argument(dialect, others), seconds}}));
  for (const SqlRow& row : rows) numbers.push_back(numbers_.at(integer_of(row[0])));
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::int64_t StudyCache::id_of(const Trial& trial) const {
  assert(trial.number >= 0 && static_cast<std::size_t>(trial.number) < ids_.size() &&
         "a trial of this study is changed");
  return ids_[static_cast<std::size_t>(trial.number)];
}

std::vector<std::int64_t> StudyCache::drop_finished(StudyChanges& changes) const {
  std::vector<std::int64_t> dropped;
  std::erase_if(changes.changed, [&](const Trial& trial) {
    if (unfinished_.contains(trial.number)) return false;
    if (dropped.empty() || dropped.back() != trial.number) dropped.push_back(trial.number);
    return true;
  });
  return dropped;
}

Status StudyCache::check_numbers(std::span<const Trial> added) const {
  auto next = static_cast<std::int64_t>(ids_.size());
  for (const Trial& trial : added)
    if (trial.number != next++)
      return Error{.what = cat("trial ", trial.number, " cannot be added to a study of ",
                               ids_.size(), " trials"),
                   .hint = "trials were removed from the study while it was in use"};
  return {};
}

Status StudyCache::write(SqlConnection& connection, const StudyChanges& changes,
                         std::span<const TrialReport> reports) {
  static const Trial nothing;
  std::vector<SqlCommand> commands;
  for (const Trial& trial : changes.changed) {
    const std::int64_t id = id_of(trial);
    const Unfinished& open = unfinished_.at(trial.number);
    writer_.update(id, trial, commands);
    writer_.set_content(id, trial, open.known, commands);
    if (heartbeats_ && !open.own && trial.state == TrialState::Running)
      writer_.set_heartbeat(id, commands);
  }
  inserted_.clear();
  for (const Trial& trial : changes.added) {
    const std::int64_t number = rows_ + static_cast<std::int64_t>(inserted_.size());
    CH_TRY(const SqlRows rows, connection.query(writer_.insert(study_, number, trial)));
    const std::int64_t id = integer_of(rows.at(0).at(0));
    inserted_.push_back(id);
    writer_.set_content(id, trial, nothing, commands);
    if (heartbeats_ && trial.state == TrialState::Running) writer_.set_heartbeat(id, commands);
  }
  for (const TrialReport& report : reports) {
    const auto open = unfinished_.find(report.number);
    if (open != unfinished_.end())
      writer_.set_report(open->second.id, report.step, report.value, commands);
  }
  commands.push_back({"COMMIT"});
  return connection.execute(commands);
}

void StudyCache::apply(const StudyChanges& changes) {
  for (const Trial& trial : changes.changed)
    remember(id_of(trial), trial, trial.state == TrialState::Running);
  for (std::size_t i = 0; i < changes.added.size(); ++i) {
    const Trial& trial = changes.added[i];
    ids_.at(static_cast<std::size_t>(trial.number)) = inserted_.at(i);
    remember(inserted_[i], trial, trial.state == TrialState::Running);
  }
  rows_ += static_cast<std::int64_t>(changes.added.size());
}

Result<bool> StudyCache::is_stored(SqlConnection& connection, const StudyChanges& changes) {
  if (inserted_.size() != changes.added.size()) return false;
  std::map<std::int64_t, const Trial*> expected;
  for (const Trial& trial : changes.changed) expected[id_of(trial)] = &trial;
  for (std::size_t i = 0; i < inserted_.size(); ++i) expected[inserted_[i]] = &changes.added[i];
  std::vector<std::int64_t> ids;
  for (const auto& [id, trial] : expected) ids.push_back(id);
  CH_TRY(const std::vector<StoredTrial> found, reader_.read_trials(connection, ids));
  return found.size() == ids.size() &&
         std::all_of(found.begin(), found.end(), [&expected](const StoredTrial& stored) {
           const Trial& trial = *expected.at(stored.id);
           return stored.trial.state == trial.state && stored.trial.started == trial.started &&
                  stored.trial.completed == trial.completed;
         });
}

std::map<std::int64_t, std::int64_t> StudyCache::own_running() const {
  std::map<std::int64_t, std::int64_t> found;
  for (const auto& [number, trial] : unfinished_)
    if (trial.own) found[number] = trial.id;
  return found;
}

}  // namespace chop::search

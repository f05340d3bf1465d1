// Studies that live as long as the process: trials without a database, and tests.
#include <condition_variable>
#include <mutex>

#include "search/store/store.hpp"

namespace chop::search::stores::memory {
namespace {

struct MemoryStudy {
  /// A trial was added or changed, by which session (0: by none).
  struct Event {
    std::int64_t number;
    int writer;
  };

  Study study;
  std::vector<Event> events = {};
  bool taken = false;
  bool removed = false;
  int sessions = 0;
};

/// What the store and all sessions share.
struct Memory {
  std::mutex mutex;
  std::condition_variable released;
  std::map<std::string, std::shared_ptr<MemoryStudy>> studies;
};

Error no_study(const std::string& name) {
  return {.what = cat("there is no study '", name, "' in memory")};
}

void put(MemoryStudy& study, Trial trial, int writer) {
  const std::int64_t number = trial.number;
  std::vector<Trial>& trials = study.study.trials;
  if (number == static_cast<std::int64_t>(trials.size())) trials.emplace_back();
  Trial& stored = trials.at(static_cast<std::size_t>(number));
  if (is_finished(stored.state)) return;
  stored = std::move(trial);
  study.events.push_back({number, writer});
}

class MemorySession final : public StudySession {
 public:
  MemorySession(std::shared_ptr<Memory> memory, std::shared_ptr<MemoryStudy> study)
      : memory_(std::move(memory)), study_(std::move(study)), id_(++study_->sessions) {}
  MemorySession(const MemorySession&) = delete;
  MemorySession& operator=(const MemorySession&) = delete;
  ~MemorySession() override { release(); }

  Result<StudyUpdates> begin() override {
    std::unique_lock lock(memory_->mutex);
    memory_->released.wait(lock, [this] { return !study_->taken; });
    if (study_->removed) return no_study(study_->study.info.name);
    study_->taken = holds_ = true;
    std::vector<std::int64_t> numbers;
    for (; seen_ < study_->events.size(); ++seen_)
      if (study_->events[seen_].writer != id_) numbers.push_back(study_->events[seen_].number);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    StudyUpdates updates;
    for (const std::int64_t number : numbers)
      updates.trials.push_back(study_->study.trials[static_cast<std::size_t>(number)]);
    return updates;
  }

  Status commit(StudyChanges changes) override {
    assert(holds_ && "commit() comes after begin()");
    if (Status status = check_values(changes); !status) {
      release();
      return status;
    }
    {
      const std::lock_guard lock(memory_->mutex);
      for (std::vector<Trial>* trials : {&changes.changed, &changes.added})
        for (Trial& trial : *trials) put(*study_, std::move(trial), id_);
    }
    release();
    return {};
  }

  Status report(std::int64_t number, std::int64_t step, double value) override {
    const std::lock_guard lock(memory_->mutex);
    study_->study.trials.at(static_cast<std::size_t>(number)).reports[step] = value;
    study_->events.push_back({number, id_});
    return {};
  }

  Status flush() override { return {}; }

 private:
  void release() {
    const std::lock_guard lock(memory_->mutex);
    if (!holds_) return;
    study_->taken = holds_ = false;
    memory_->released.notify_all();
  }

  std::shared_ptr<Memory> memory_;
  std::shared_ptr<MemoryStudy> study_;
  int id_;
  std::size_t seen_ = 0;
  bool holds_ = false;
};

StudySummary summary_of(const Study& study) {
  StudySummary summary{.info = study.info,
                       .trials = static_cast<std::int64_t>(study.trials.size())};
  for (const Trial& trial : study.trials) {
    ++summary.by_state[trial.state];
    if (trial.started != 0 && (summary.started == 0 || trial.started < summary.started))
      summary.started = trial.started;
    summary.completed = std::max(summary.completed, trial.completed);
  }
  return summary;
}

class MemoryStore final : public StudyStore {
 public:
  Result<std::vector<StudySummary>> list() override {
    const std::lock_guard lock(memory_->mutex);
    std::vector<StudySummary> found;
    for (const auto& [name, study] : memory_->studies) found.push_back(summary_of(study->study));
    return found;
  }

  Result<std::optional<StudyInfo>> find(const std::string& name) override {
    const std::lock_guard lock(memory_->mutex);
    const auto found = memory_->studies.find(name);
    if (found == memory_->studies.end()) return std::optional<StudyInfo>();
    return std::optional(found->second->study.info);
  }

  Status create(const StudyInfo& info) override {
    const std::lock_guard lock(memory_->mutex);
    auto& entry = memory_->studies[info.name];
    if (entry) return Error{.what = cat("there is a study '", info.name, "' in memory already")};
    entry = std::make_shared<MemoryStudy>();
    entry->study.info = info;
    return {};
  }

  Status remove(const std::string& name) override {
    const std::lock_guard lock(memory_->mutex);
    const auto found = memory_->studies.find(name);
    if (found == memory_->studies.end()) return no_study(name);
    found->second->removed = true;
    memory_->studies.erase(found);
    return {};
  }

  Result<Study> read(const std::string& name) override {
    const std::lock_guard lock(memory_->mutex);
    CH_TRY(const auto study, get(name));
    return study->study;
  }

  Status append(const std::string& name, const std::vector<Trial>& trials) override {
    CH_CHECK(check_values({.added = trials}));
    std::unique_lock lock(memory_->mutex);
    CH_TRY(const auto study, get(name));
    memory_->released.wait(lock, [&study = study] { return !study->taken; });
    for (Trial trial : trials) {
      trial.number = static_cast<std::int64_t>(study->study.trials.size());
      put(*study, std::move(trial), 0);
    }
    return {};
  }

  Status set_user_attribute(const std::string& name, const std::string& key,
                            const std::string& json) override {
    const std::lock_guard lock(memory_->mutex);
    CH_TRY(const auto study, get(name));
    study->study.info.user[key] = json;
    return {};
  }

  Result<std::unique_ptr<StudySession>> join(const std::string& name,
                                             const SessionOptions&) override {
    const std::lock_guard lock(memory_->mutex);
    CH_TRY(auto study, get(name));
    return std::unique_ptr<StudySession>(
        std::make_unique<MemorySession>(memory_, std::move(study)));
  }

 private:
  Result<std::shared_ptr<MemoryStudy>> get(const std::string& name) const {
    const auto found = memory_->studies.find(name);
    if (found == memory_->studies.end()) return no_study(name);
    return found->second;
  }

  std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();
};

}  // namespace

StoreDef define() {
  return {.name = "memory",
          .doc = "nowhere: the study ends with the process",
          .example = "memory",
          .accepts = [](std::string_view url) { return url == "memory" || url == "memory://"; },
          .open = [](const std::string&, Create) -> Result<std::unique_ptr<StudyStore>> {
            return std::unique_ptr<StudyStore>(std::make_unique<MemoryStore>());
          }};
}

}  // namespace chop::search::stores::memory

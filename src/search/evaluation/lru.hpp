// Values by name within a budget of bytes: the least recently used go first.
#pragma once

#include <list>
#include <unordered_map>

#include "support/layers.hpp"

namespace chop::search {

template <class T>
class Lru {
 public:
  explicit Lru(std::size_t budget) : budget_(budget) {}

  /// The value, which becomes the most recently used one, or null.
  std::shared_ptr<T> find(const std::string& key) {
    const auto found = positions_.find(key);
    if (found == positions_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return entries_.front().value;
  }

  /// Values larger than the budget are not kept.
  void put(const std::string& key, std::shared_ptr<T> value, std::size_t bytes) {
    if (bytes > budget_ || positions_.contains(key)) return;
    entries_.push_front({key, std::move(value), bytes});
    positions_[key] = entries_.begin();
    used_ += bytes;
    while (used_ > budget_) {
      used_ -= entries_.back().bytes;
      positions_.erase(entries_.back().key);
      entries_.pop_back();
    }
  }

  std::size_t used() const { return used_; }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<T> value;
    std::size_t bytes = 0;
  };
  std::size_t budget_;
  std::size_t used_ = 0;
  std::list<Entry> entries_;  ///< the most recently used first
  std::unordered_map<std::string, typename std::list<Entry>::iterator> positions_;
};

}  // namespace chop::search

// A progress bar with rate and remaining time for terminals; silent everywhere else.
#pragma once

#include <functional>

#include "support/layers.hpp"

namespace chop::support {

/// What a bar counts: steps ("36.2 it/s") or bytes ("1.5 MiB/s").
enum class BarUnit : std::uint8_t { Steps, Bytes };

struct BarState {
  std::string_view label = {};   ///< "Epoch 3"
  std::int64_t done = 0;         ///< steps so far
  std::int64_t total = 0;        ///< 0 when unknown
  double seconds = 0;            ///< since the start
  std::string_view suffix = {};  ///< "loss 0.812"; may be empty
  std::int64_t skipped = 0;      ///< steps of `done` that took no time here (a resumed run)
  BarUnit unit = BarUnit::Steps;
};

/// 75 as "01:15", 3675 as "1:01:15".
std::string clock_text(double seconds);

/// One line of at most `width` columns, e.g.
///   Epoch 3:  45% |████▌     | 450/1000 [00:12<00:15, 36.2 it/s] loss 0.812
/// The bar takes what room the texts leave; below 8 columns it goes, then what is in brackets
/// makes room for the suffix, then the line is cut.
std::string render_bar(const BarState& state, int width);

/// Where a bar is drawn; tests replace it.
struct Screen {
  bool terminal = false;
  std::function<int()> width = {};                   ///< columns
  std::function<void(std::string_view)> write = {};  ///< text with control codes
  std::function<double()> clock = {};                ///< seconds, never running backwards
};

/// Standard error.
Screen stderr_screen();

/// One bar from its construction to finish(). Not for use from several threads.
class Progress {
 public:
  /// `start`: steps already done, as after a resume.
  Progress(std::string label, std::int64_t total, Screen screen, std::int64_t start = 0,
           BarUnit unit = BarUnit::Steps);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Call once per step. `suffix()` gives the text at the end and is only called when the
  /// bar is about to be redrawn, at most ten times per second.
  template <class Suffix>
  void update(std::int64_t done, Suffix&& suffix) {
    if (is_due(done)) draw(suffix());
  }
  void update(std::int64_t done) {
    if (is_due(done)) draw({});
  }
  /// Erases the bar.
  void finish();

 private:
  bool is_due(std::int64_t done);
  void draw(std::string_view suffix);

  std::string label_;
  std::int64_t total_ = 0;
  std::int64_t start_ = 0;
  std::int64_t done_ = 0;
  BarUnit unit_ = BarUnit::Steps;
  Screen screen_;
  double began_ = 0;
  double drawn_ = 0;
  bool visible_ = false;
};

}  // namespace chop::support

// A simulation of the handshakes alone. In each cycle `valid` goes forward through the units,
// `ready` back, and then every unit takes a step.
#include "hardware/stream/timing.hpp"

namespace chop::hardware {
namespace {

constexpr std::int64_t kSamples = 4;  ///< the first ones find queues empty
constexpr std::int64_t kMostIdle = 1'000'000;

/// What of a unit changes from cycle to cycle.
struct UnitState {
  std::vector<bool> stages = {};  ///< of a core: which hold a word; of a MAC the two in front
  bool holds = false;             ///< a window or MAC: a word at its output
  std::int64_t y = 0;             ///< of a window: where it is
  std::int64_t x = 0;
  std::int64_t count = 0;        ///< words of a queue; cycles of a MAC
  std::vector<bool> taken = {};  ///< by the branches of a fork
};

class Clockwork {
 public:
  explicit Clockwork(const Dataflow& dataflow)
      : dataflow_(dataflow),
        valid_(dataflow.links.size()),
        ready_(dataflow.links.size()),
        states_(dataflow.units.size()) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const Unit& unit = dataflow.units[i];
      if (const auto* core = std::get_if<CoreUnit>(&unit.what))
        states_[i].stages.resize(
            static_cast<std::size_t>(dataflow.cores.modules[core->module].latency));
      if (std::holds_alternative<MacUnit>(unit.what)) states_[i].stages.resize(4);
      states_[i].taken.resize(unit.out.size());
    }
  }

  Result<StreamTiming> run() {
    StreamTiming timing;
    const std::int64_t given = kSamples * std::ssize(dataflow_.given);
    const std::int64_t tokens = std::ssize(dataflow_.made);
    std::int64_t in = 0;
    std::int64_t out = 0;
    std::int64_t first_in = 0;
    std::int64_t before = 0;
    std::int64_t idle = 0;
    for (std::int64_t t = 0; out < kSamples * tokens; ++t, ++idle) {
      if (idle > kMostIdle) return Error{.what = "the folded circuit comes to a halt"};
      valid_[dataflow_.input] = in < given;
      for (std::size_t i = 0; i < states_.size(); ++i) forward(i);
      ready_[dataflow_.output] = true;
      for (std::size_t i = states_.size(); i-- > 0;) backward(i);
      for (std::size_t i = 0; i < states_.size(); ++i) step(i);
      if (moves(dataflow_.input)) {
        if (in++ == 0) first_in = t;
        idle = 0;
      }
      if (!moves(dataflow_.output)) continue;
      idle = 0;
      if (++out % tokens != 0) continue;
      if (out == tokens)
        timing.latency = t - first_in;
      else
        timing.interval = std::max(timing.interval, t - before);
      before = t;
    }
    return timing;
  }

 private:
  bool moves(std::size_t link) const { return valid_[link] && ready_[link]; }

  /// What a unit offers, from what it holds and what it is offered.
  void forward(std::size_t i) {
    const Unit& unit = dataflow_.units[i];
    const UnitState& state = states_[i];
    if (std::holds_alternative<ForkUnit>(unit.what)) {
      for (std::size_t k = 0; k < unit.out.size(); ++k)
        valid_[unit.out[k]] = valid_[unit.in[0]] && !state.taken[k];
      return;
    }
    bool& out = valid_[unit.out[0]].value;
    if (std::holds_alternative<JoinUnit>(unit.what)) {
      out = true;
      for (const std::size_t link : unit.in) out = out && valid_[link];
    } else if (std::holds_alternative<FifoUnit>(unit.what)) {
      out = state.count > 0;
    } else if (std::holds_alternative<CoreUnit>(unit.what)) {
      out = state.stages.empty() ? bool{valid_[unit.in[0]]} : bool{state.stages.back()};
    } else {
      out = state.holds;
    }
  }

  /// What it takes, from what it holds and what of it is taken.
  void backward(std::size_t i) {
    const Unit& unit = dataflow_.units[i];
    const UnitState& state = states_[i];
    if (std::holds_alternative<ForkUnit>(unit.what)) {
      bool all = true;
      for (std::size_t k = 0; k < unit.out.size(); ++k)
        all = all && (state.taken[k] || ready_[unit.out[k]]);
      ready_[unit.in[0]] = all;
      return;
    }
    const bool free = ready_[unit.out[0]] || !valid_[unit.out[0]];
    if (std::holds_alternative<JoinUnit>(unit.what)) {
      for (const std::size_t link : unit.in) ready_[link] = moves(unit.out[0]);
    } else if (const auto* fifo = std::get_if<FifoUnit>(&unit.what)) {
      ready_[unit.in[0]] = state.count < fifo->depth;
    } else if (const auto* window = std::get_if<WindowUnit>(&unit.what)) {
      ready_[unit.in[0]] = free && is_token(*window, state);
    } else if (const auto* mac = std::get_if<MacUnit>(&unit.what)) {
      ready_[unit.in[0]] = free && state.count + 1 == static_cast<std::int64_t>(mac->cycles());
    } else {
      ready_[unit.in[0]] = state.stages.empty() ? bool{ready_[unit.out[0]]} : free;
    }
  }

  static bool is_token(const WindowUnit& window, const UnitState& state) {
    return state.y < window.from.height && state.x < window.from.width;
  }

  static bool is_window(const WindowUnit& window, const UnitState& state) {
    const std::int64_t y = state.y - window.bottom();
    const std::int64_t x = state.x - window.right();
    return y >= 0 && x >= 0 && y % window.windows.stride_y == 0 && x % window.windows.stride_x == 0;
  }

  void step(std::size_t i) {
    const Unit& unit = dataflow_.units[i];
    UnitState& state = states_[i];
    if (std::holds_alternative<ForkUnit>(unit.what)) {
      const bool done = moves(unit.in[0]);
      for (std::size_t k = 0; k < unit.out.size(); ++k)
        state.taken[k] = valid_[unit.in[0]] && !done && (state.taken[k] || ready_[unit.out[k]]);
    } else if (std::holds_alternative<FifoUnit>(unit.what)) {
      state.count += (moves(unit.in[0]) ? 1 : 0) - (moves(unit.out[0]) ? 1 : 0);
    } else if (!std::holds_alternative<JoinUnit>(unit.what) &&
               (ready_[unit.out[0]] || !valid_[unit.out[0]])) {
      advance(unit, state);
    }
  }

  /// Of a unit whose output is free.
  void advance(const Unit& unit, UnitState& state) {
    if (const auto* window = std::get_if<WindowUnit>(&unit.what)) {
      const bool goes = valid_[unit.in[0]] || !is_token(*window, state);
      state.holds = goes && is_window(*window, state);
      if (!goes || ++state.x < window->columns()) return;
      state.x = 0;
      state.y = (state.y + 1) % window->rows();
    } else if (const auto* mac = std::get_if<MacUnit>(&unit.what)) {
      // Stages 0 and 1 hold products, 2 and 3 the last ones of a word.
      const bool issues = valid_[unit.in[0]];
      const bool ends = issues && state.count + 1 == static_cast<std::int64_t>(mac->cycles());
      state.holds = state.stages[3];
      state.stages = {issues, state.stages[0], ends, state.stages[2]};
      if (issues) state.count = ends ? 0 : state.count + 1;
    } else if (!state.stages.empty()) {
      state.stages.pop_back();
      state.stages.insert(state.stages.begin(), valid_[unit.in[0]]);
    }
  }

  /// A bool that can be referred to.
  struct Flag {
    bool value = false;
    operator bool() const { return value; }  // NOLINT(google-explicit-constructor)
    Flag& operator=(bool to) {
      value = to;
      return *this;
    }
  };

  const Dataflow& dataflow_;
  std::vector<Flag> valid_;  ///< by link
  std::vector<Flag> ready_;
  std::vector<UnitState> states_;
};

}  // namespace

Result<StreamTiming> timing_of(const Dataflow& dataflow) {
  return Clockwork(dataflow).run();
}

}  // namespace chop::hardware

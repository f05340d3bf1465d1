// Where the members of a team meet between steps of a plan (runtime/team.hpp). Between two meetings
// a member may read or write its own rows of a value that others have theirs of, and what nobody
// writes; anything else waits for a meeting. A value that lies where another one lay counts as the
// same bytes.
//
//   linear        x by rows, y by rows
//   batch norm    y by rows; meets within, then z by rows, mean by the first member
//   linear        z by rows, u by rows                   no meeting: the same rows
//   norm's grad   reads mean, which was written since the last meeting: one before it
#include "compile/plan/planner.hpp"
#include "runtime/team.hpp"

namespace chop::compile {
namespace {

using runtime::TeamRun;

struct Access {
  const std::byte* begin;
  std::size_t bytes;
  bool by_rows;
  bool writes;

  const std::byte* end() const { return begin + bytes; }
};

bool conflict(const Access& a, const Access& b) {
  if (!(a.writes || b.writes) || a.begin >= b.end() || b.begin >= a.end()) return false;
  return !(a.by_rows && b.by_rows && a.begin == b.begin && a.bytes == b.bytes);
}

bool any_conflict(const std::vector<Access>& some, const std::vector<Access>& others) {
  return std::ranges::any_of(some, [&](const Access& a) {
    return std::ranges::any_of(others, [&](const Access& b) { return conflict(a, b); });
  });
}

/// What a step reads, writes, and writes after the next meeting.
struct StepAccesses {
  std::vector<Access> reads, writes, late;
  std::vector<Access> indices;  ///< reads that are checked before the first step
};

StepAccesses accesses_of(const Plan::Step& step, const TeamRun& team, std::span<const Value> inputs,
                         const Types& types, NodeId id) {
  StepAccesses found;
  const auto is = [](std::uint32_t mask, std::size_t i) { return (mask >> i & 1U) != 0; };
  for (std::size_t i = 0; i < step.args.in.size(); ++i) {
    const TensorType& type = type_of(types, inputs[i]);
    found.reads.push_back({step.args.in[i], type.bytes(), is(team.rows_in, i), false});
    if (type.dtype != DType::F32)
      found.indices.push_back({step.args.in[i], type.bytes(), false, false});
  }
  for (std::size_t k = 0; k < step.args.out.size(); ++k) {
    if (step.args.out[k] == nullptr) continue;
    const std::size_t bytes = type_of(types, {id, static_cast<std::uint32_t>(k)}).bytes();
    (is(team.late_out, k) ? found.late : found.writes)
        .push_back({step.args.out[k], bytes, is(team.rows_out, k), true});
  }
  return found;
}

void append(std::vector<Access>& to, const std::vector<Access>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// What members do since the last meeting.
class Since {
 public:
  bool needs_meeting(const TeamRun& team, const StepAccesses& step) const {
    if (any_conflict(step.reads, done_)) return true;
    // What comes behind a meeting within the step only has to wait for what others do there.
    const std::vector<Access>& before = team.meets ? late_ : done_;
    return any_conflict(step.reads, before) || any_conflict(step.writes, before) ||
           any_conflict(step.late, before);
  }
  void add(const TeamRun& team, const StepAccesses& step) {
    append(done_, step.reads);
    if (team.meets) {
      meet();
      append(done_, step.reads);
    }
    append(done_, step.writes);
    append(late_, step.late);
  }
  void meet() { done_ = std::exchange(late_, {}); }

 private:
  std::vector<Access> done_;
  std::vector<Access> late_;  ///< what they do right after the next one
};

/// The most numbers of a result that the first member makes while others wait.
constexpr std::int64_t kTiny = 64;

/// Work that pays for a meeting of two threads.
constexpr std::int64_t kLeastWork = std::int64_t{1} << 16;

bool is_tiny(const std::vector<TensorType>& results) {
  return std::ranges::all_of(results,
                             [](const TensorType& type) { return numel(type.shape) <= kTiny; });
}

}  // namespace

/// Lets a team run the plan if all of its steps know how, and marks where it meets.
void Planner::find_meetings() {
  std::vector<Plan::Step>& steps = parts_.steps;
  // Where parameters are frozen, steps may be chains or changes of layout.
  if (state_.target.threads <= 1 || state_.target.frozen || slices_ > 1 || steps.empty()) return;
  const TeamRun* const first = steps[0].kernel.team();
  if (first == nullptr) return;
  const std::int64_t rows = first->rows;
  const runtime::RowBlocks blocks{rows, runtime::kTeamRows};
  // A short last block would be added up as few rows are.
  constexpr std::int64_t kLeastRows = 32;
  if (blocks.count() < 2 || blocks.size(blocks.count() - 1) < kLeastRows) return;
  const TeamRun alone;  // of a step that the first member does
  std::int64_t work = 0;
  Since since;
  std::vector<Access> written;
  for (Plan::Step& step : steps) {
    const TeamRun* const team = step.kernel.team() == nullptr ? &alone : step.kernel.team();
    const NodeId id = step.info.nodes.back();
    if (team == &alone ? !is_tiny(types_[index(id)]) : team->rows != rows) return;
    const StepAccesses accesses = accesses_of(step, *team, graph_.node(id).inputs, types_, id);
    if (step.check && any_conflict(accesses.indices, written)) return;
    step.meets_before = since.needs_meeting(*team, accesses);
    if (step.meets_before) since.meet();
    since.add(*team, accesses);
    append(written, accesses.writes);
    append(written, accesses.late);
    work += team->work;
  }
  if (work < 2 * kLeastWork) return;
  parts_.team = static_cast<int>(std::min<std::int64_t>(
      {state_.target.threads, blocks.count(), runtime::MeetingPlace::kMostMembers}));
}

}  // namespace chop::compile

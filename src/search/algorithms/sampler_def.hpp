// Samplers choose the point of the next trial. The file src/search/samplers/<name>.cpp defines
// `SamplerDef define()` in namespace chop::search::samplers::<name>; that is its registration.
#pragma once

#include "config/args.hpp"
#include "search/space/space.hpp"
#include "search/store/trial.hpp"

namespace chop::search {

/// A trial of the study as samplers and pruners get it.
struct SampledTrial {
  std::int64_t number = -1;
  TrialState state = TrialState::Running;
  Point point;                                  ///< empty: the trial is not of this space
  std::vector<double> values = {};              ///< objectives, once complete
  std::map<std::int64_t, double> reports = {};  ///< intermediate values by step
  std::map<std::string, double> metrics = {};   ///< by name, unscaled, once complete
};

/// A metric that counts in the objectives.
struct ObjectiveMetric {
  std::string name;
  double scale = 1;
  Direction direction = Direction::Minimise;
  bool hardware = false;  ///< known without running the network
};

struct SamplerContext {
  const Space& space;  ///< outlives the sampler
  std::vector<Direction> directions;
  std::vector<ObjectiveMetric> metrics = {};
  std::uint64_t seed = 0;
};

struct Proposal {
  enum class Kind : std::uint8_t {
    Try,   ///< `point`
    Wait,  ///< ask again when a running trial has finished
    Done   ///< there is nothing left to try
  };
  Kind kind = Kind::Try;
  Point point = {};
  AttributeMap system = {};  ///< to be stored with the trial
};

class Sampler {
 public:
  virtual ~Sampler() = default;
  /// The point of the `number`-th trial, from 0, where a failed trial and its replacement count as
  /// one. `trials` are all trials so far, by number. Depends on the arguments, the seed and nothing
  /// else (what it keeps from earlier calls only saves time), so a study that was stopped continues
  /// as if it had not been.
  virtual Result<Proposal> propose(std::span<const SampledTrial> trials, std::int64_t number) = 0;
};

struct SamplerDef {
  std::string_view name;
  std::vector<std::string_view> aliases = {};
  std::string_view doc;           ///< one clause, lower-case, no final period
  std::string_view details = {};  ///< more help; may be empty
  std::string_view reproducible;  ///< "for any number of workers", "for one worker"
  std::vector<Field> args = {};
  bool several_objectives = true;
  bool continuous = true;  ///< accepts spaces with infinitely many points
  Result<std::unique_ptr<Sampler>> (*make)(const SamplerContext& context,
                                           const Args& args) = nullptr;
};

std::span<const SamplerDef> all_samplers();
/// By name or alias, in any case of letters; the error names the nearest one.
Result<const SamplerDef*> find_sampler(std::string_view name);

}  // namespace chop::search

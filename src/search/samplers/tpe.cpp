// TPE, the tree-structured Parzen estimator (Bergstra et al. 2011, "Algorithms for hyper-parameter
// optimization").
//
// The trials so far are split into good ones (the best tenth) and others. A Parzen estimator over
// each gives the densities l and g. Candidates are drawn from l, and the one with the largest l / g
// is tried: it is likely under the good trials and unlikely under the others.
//
//   learning_rate   1e-4      1e-3      1e-2      1e-1
//   good (l)                      **   *
//   others (g)       o    o  o      o      o  o  o
//   next trial                    ^                        where l / g is largest
//
// Parameters that are only active when another has a certain value are drawn after it (the "tree").
// docs/samplers.md says where this differs from Optuna's TPE.
#include "search/algorithms/parzen.hpp"
#include "search/algorithms/spread.hpp"
#include "search/best_trials.hpp"

namespace chop::search::samplers::tpe {
namespace {

/// The density of the other trials is made from at most this many, taken evenly from best to worst.
constexpr std::size_t kMostOthers = 128;

struct Settings {
  std::size_t startup = 10;
  std::size_t candidates = 48;
  double gamma = 0.1;
  std::size_t most_good = 25;
  bool constant_liar = true;
  ParzenOptions parzen = {};
};

class TpeSampler : public Sampler {
 public:
  TpeSampler(const SamplerContext& context, const Settings& settings)
      : space_(context.space),
        seed_(context.seed),
        settings_(settings),
        axes_(axes_of(context.space)),
        history_(context.directions) {}

  Result<Proposal> propose(std::span<const SampledTrial> trials, std::int64_t number) override;

 private:
  struct Model {
    Parzen good;
    Parzen others;
  };

  void follow(std::span<const SampledTrial> trials);
  Model learn(std::span<const SampledTrial> trials) const;
  Parzen estimator(std::span<const std::size_t> indices) const;
  Point draw_joint(const Model& model, Dice& dice) const;
  Point draw_each(const Model& model, Dice& dice) const;
  double score(const Model& model, const Point& point) const;
  Point best_candidate(const Model& model, Dice& dice) const;
  std::vector<Point> untried(Dice& dice) const;

  const Space& space_;
  std::uint64_t seed_;
  Settings settings_;
  std::vector<Axis> axes_;
  History history_;
  std::vector<double> positions_;  ///< on all axes, a row for each trial
};

Result<Proposal> TpeSampler::propose(std::span<const SampledTrial> trials, std::int64_t number) {
  follow(trials);
  if (space_.size() && history_.settled() >= *space_.size()) return nothing_new(history_);
  Dice dice(Stream(seed_, "search/tpe", static_cast<std::uint64_t>(number)));
  if (history_.ranked().size() + history_.pruned().size() < settings_.startup) {
    Point point = spread_point(space_, seed_, number);
    if (history_.is_settled(point)) point = untried(dice).front();
    return Proposal{.point = std::move(point)};
  }
  return Proposal{.point = best_candidate(learn(trials), dice)};
}

void TpeSampler::follow(std::span<const SampledTrial> trials) {
  history_.follow(trials);
  positions_.resize(trials.size() * axes_.size());
  for (const std::size_t index : history_.arrived())
    for (std::size_t axis = 0; axis < axes_.size(); ++axis)
      positions_[index * axes_.size() + axis] = axes_[axis].position_of(trials[index].point[axis]);
}

TpeSampler::Model TpeSampler::learn(std::span<const SampledTrial> trials) const {
  const std::size_t known = history_.ranked().size() + history_.pruned().size();
  const auto wanted = static_cast<std::size_t>(std::ceil(settings_.gamma * double(known)));
  std::vector<std::size_t> good =
      best_trials(history_, trials, std::clamp<std::size_t>(wanted, 1, settings_.most_good));
  std::sort(good.begin(), good.end());
  std::vector<std::size_t> others;
  for (const auto indices : {history_.ranked(), history_.pruned()}) {
    const std::size_t step = indices.size() / kMostOthers + 1;
    for (std::size_t i = indices.size() % step; i < indices.size(); i += step)
      if (!std::binary_search(good.begin(), good.end(), indices[i])) others.push_back(indices[i]);
  }
  if (settings_.constant_liar)
    others.insert(others.end(), history_.under_way().begin(), history_.under_way().end());
  return {.good = estimator(good), .others = estimator(others)};
}

Parzen TpeSampler::estimator(std::span<const std::size_t> indices) const {
  std::vector<const double*> rows;
  for (const std::size_t index : indices) rows.push_back(positions_.data() + index * axes_.size());
  return Parzen(axes_, rows, std::vector<double>(rows.size(), 1.0), settings_.parzen);
}

Point TpeSampler::draw_joint(const Model& model, Dice& dice) const {
  Point point(axes_.size(), kInactive);
  const std::size_t kernel = model.good.draw_kernel(dice);
  for (std::size_t i = 0; i < point.size(); ++i)
    if (space_.active(point, i))
      point[i] = axes_[i].value_near(model.good.draw_position(kernel, i, dice));
  return point;
}

/// Every parameter on its own: for each, the best of `candidates` values.
Point TpeSampler::draw_each(const Model& model, Dice& dice) const {
  Point point(axes_.size(), kInactive);
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (!space_.active(point, i)) continue;
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < settings_.candidates; ++c) {
      const std::size_t kernel = model.good.draw_kernel(dice);
      const double value = axes_[i].value_near(model.good.draw_position(kernel, i, dice));
      const double position = axes_[i].position_of(value);
      const double now =
          model.good.log_density(i, position) - model.others.log_density(i, position);
      if (c > 0 && now <= best) continue;
      best = now;
      point[i] = value;
    }
  }
  return point;
}

double TpeSampler::score(const Model& model, const Point& point) const {
  std::vector<double> positions(point.size());
  for (std::size_t i = 0; i < point.size(); ++i) positions[i] = axes_[i].position_of(point[i]);
  return model.good.log_density(positions) - model.others.log_density(positions);
}

/// Points that were tried are not candidates: in a finite space the same ones are drawn often.
Point TpeSampler::best_candidate(const Model& model, Dice& dice) const {
  std::vector<Point> candidates;
  const std::size_t wanted = settings_.parzen.joint ? settings_.candidates : 1;
  for (std::size_t tries = 0; tries < 4 * wanted && candidates.size() < wanted; ++tries) {
    Point point = settings_.parzen.joint ? draw_joint(model, dice) : draw_each(model, dice);
    if (!history_.is_settled(point)) candidates.push_back(std::move(point));
  }
  if (candidates.empty()) candidates = untried(dice);
  std::size_t best = 0;
  double most = score(model, candidates[0]);
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    const double now = score(model, candidates[i]);
    if (!(now > most)) continue;
    most = now;
    best = i;
  }
  return candidates[best];
}

/// At least one point that is not settled: drawn at random or, if all of those were tried, the next
/// one in order.
std::vector<Point> TpeSampler::untried(Dice& dice) const {
  std::vector<Point> found;
  for (std::size_t tries = 0; tries < 2 * settings_.candidates; ++tries) {
    Point point = space_.draw(Stream(dice.below(1ULL << 62), "search/tpe/other"));
    if (!history_.is_settled(point)) found.push_back(std::move(point));
  }
  if (!found.empty()) return found;
  if (!space_.size()) return {space_.draw(Stream(dice.below(1ULL << 62), "search/tpe/other"))};
  const auto size = static_cast<std::uint64_t>(*space_.size());
  const std::uint64_t first = dice.below(size);
  for (std::uint64_t i = 0; i < size && found.empty(); ++i) {
    Point point = space_.at(static_cast<std::int64_t>((first + i) % size));
    if (!history_.is_settled(point)) found.push_back(std::move(point));
  }
  return found;
}

Result<std::unique_ptr<Sampler>> make(const SamplerContext& context, const Args& args) {
  const bool joint = args.flag("multivariate");
  const std::int64_t candidates = args.has("n_ei_candidates") ? args.integer("n_ei_candidates")
                                  : joint                     ? 48
                                                              : 24;
  Settings settings{.startup = static_cast<std::size_t>(args.integer("n_startup_trials")),
                    .candidates = static_cast<std::size_t>(candidates),
                    .gamma = args.real("gamma"),
                    .most_good = static_cast<std::size_t>(args.integer("most_good")),
                    .constant_liar = args.flag("constant_liar"),
                    .parzen = {.joint = joint,
                               .prior_weight = args.real("prior_weight"),
                               .least_width = args.real("least_width")}};
  return std::unique_ptr<Sampler>(std::make_unique<TpeSampler>(context, settings));
}

std::vector<Field> tpe_args() {
  return {
      {.name = "n_startup_trials",
       .initial = 10,
       .doc = "trials spread evenly before the model is asked",
       .bounds = {.least = 1}},
      {.name = "n_ei_candidates",
       .doc = "points drawn from the good ones' density, of which the best is taken; unless given, "
              "48, or 24 for each parameter on its own",
       .kind = FieldKind::Integer,
       .bounds = {.least = 1, .most = 4096}},
      {.name = "multivariate",
       .initial = true,
       .doc = "model all parameters together instead of each on its own"},
      {.name = "gamma",
       .initial = 0.1,
       .doc = "share of the trials that count as good",
       .bounds = {.above = 0, .below = 1}},
      {.name = "most_good",
       .initial = 25,
       .doc = "how many trials count as good at most",
       .bounds = {.least = 1}},
      {.name = "prior_weight",
       .initial = 1.0,
       .doc = "weight of the even density, in trials",
       .bounds = {.above = 0}},
      {.name = "least_width",
       .initial = 0.02,
       .doc = "least width of a kernel, as a share of the parameter's range",
       .bounds = {.most = 1, .above = 0}},
      {.name = "constant_liar",
       .initial = true,
       .doc = "count running trials among the bad ones, so that workers stay apart"},
  };
}

}  // namespace

SamplerDef define() {
  return {.name = "tpe",
          .doc = "tree-structured Parzen estimator: draws where good trials are dense",
          .details = "never tries a point of a finite space twice, and ends when all were tried",
          .reproducible = "for one worker",
          .args = tpe_args(),
          .make = make};
}

}  // namespace chop::search::samplers::tpe

// Evaluates candidates that differ in the number formats of some layers, and reuses what they share
// (memoisation by prefix).
//
// The network is cut into stages at values everything flows through, say conv | pool | linear. The
// key of a stage is the formats in it; values at a cut depend on the keys of all stages before it.
// When a candidate has the formats of an earlier one up to a cut, evaluation starts there, from the
// values kept at that cut; and a stage with a known key needs no new plan. Values are kept from the
// second time on that their formats come up, the least recently used ones are dropped first.
#include "search/evaluation/staged_evaluator.hpp"

#include <numeric>

#include "compile/compile.hpp"
#include "ir/fixed_batch.hpp"
#include "support/text.hpp"

namespace chop::search {
namespace {

/// Batches as equal as they can be, so that threads finish together.
std::int64_t even_batch(std::int64_t rows, std::int64_t most) {
  const std::int64_t batches = Batches{rows, most}.count();
  return (rows + batches - 1) / batches;
}

constexpr std::int64_t kParts = 5;  // after each of which the metrics so far are reported

std::int64_t width_of(const Shape& sample) {
  return std::accumulate(sample.begin(), sample.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

struct StagedEvaluator::StagePlans {
  std::vector<Plan> middle;   ///< of a stage that others follow: by lane, the rest last
  std::vector<Program> last;  ///< of the last stage, likewise
};

struct StagedEvaluator::Job {
  std::vector<std::string> through = {};  ///< formats before each cut; after the last: all
  std::vector<std::shared_ptr<StagePlans>> plans = {};
  std::size_t start = 0;                    ///< first stage to run
  std::shared_ptr<const Values> kept = {};  ///< what flows into it; null: the rows themselves
  std::vector<std::shared_ptr<Values>> keeping = {};  ///< what is to be kept, by cut
};

StagedEvaluator::StagedEvaluator(std::vector<GraphStage> stages, const Split& split,
                                 const StagedOptions& options)
    : stages_(std::move(stages)), split_(&split), options_(options), values_(options.most_bytes) {
  const std::int64_t rows = options.rows > 0 ? std::min(options.rows, split.rows()) : split.rows();
  const std::int64_t most =
      options.in_parts ? std::min(options.batch, (rows + kParts - 1) / kParts) : options.batch;
  batches_ = {rows, even_batch(rows, std::max<std::int64_t>(1, most))};
  lanes_ = batches_.count() >= std::int64_t{2} * options.threads ? options.threads : 1;
  const auto workers = static_cast<std::size_t>(options.workers);
  plans_.assign(workers, Lru<StagePlans>(options.most_bytes / workers));
}

Result<std::unique_ptr<StagedEvaluator>> StagedEvaluator::make(const Graph& graph,
                                                               const std::vector<NodeId>& searched,
                                                               const Split& split,
                                                               const StagedOptions& options) {
  if (split.rows() == 0) return Error{.what = "the data set has no rows"};
  if (const auto fixed = fixed_batch(graph))
    return Error{.what = cat("the network takes ", counted(*fixed, "row"),
                             " at a time, and a search runs batches"),
                 .hint = "open its batch: --shape N,... of an ONNX file, or export it so"};
  CH_TRY(std::vector<GraphStage> stages, cut_into_stages(graph, searched));
  return std::unique_ptr<StagedEvaluator>(new StagedEvaluator(std::move(stages), split, options));
}

Result<std::shared_ptr<StagedEvaluator::StagePlans>> StagedEvaluator::plans_for(
    const Graph& candidate, std::size_t stage, const std::string& key, int worker) {
  Lru<StagePlans>& known = plans_[static_cast<std::size_t>(worker)];
  const std::string name = cat(stage, " ", key);
  if (std::shared_ptr<StagePlans> found = known.find(name)) return found;
  const Graph graph = stage_graph(candidate, stages_, stage);
  const int threads = lanes_ > 1 ? 1 : options_.threads;
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(lanes_), batches_.size);
  if (batches_.rest() != 0) sizes.push_back(batches_.rest());
  auto made = std::make_shared<StagePlans>();
  std::size_t bytes = 4 * static_cast<std::size_t>(graph.parameter_count());
  for (const std::int64_t rows : sizes) {
    if (stage + 1 == stages_.size()) {
      CH_TRY(Program program, Program::evaluation(graph, rows, threads));
      bytes += made->last.emplace_back(std::move(program)).plan().memory_bytes();
    } else {
      CH_TRY(Compiled compiled,
             compile_graph(graph, {.batch = rows, .threads = threads, .frozen = true}));
      bytes += made->middle.emplace_back(std::move(compiled.plan)).memory_bytes();
    }
  }
  plans_made_ += 1;
  known.put(name, made, bytes);
  return made;
}

/// The last cut whose values are there; and the cuts whose formats came before, to be kept now.
void StagedEvaluator::find_start(Job& job) {
  const std::lock_guard lock(mutex_);
  for (std::size_t s = stages_.size(); s-- > 1 && !job.kept;)
    if (std::shared_ptr<const Values> found = values_.find(job.through[s])) {
      job.start = s;
      job.kept = std::move(found);
    }
  job.keeping.assign(stages_.size(), nullptr);
  for (std::size_t s = job.start + 1; s < stages_.size(); ++s) {
    const auto count = static_cast<std::size_t>(batches_.rows * width_of(stages_[s].sample));
    const bool came_before = !seen_.insert(job.through[s]).second;
    if (came_before && count * sizeof(float) <= options_.most_bytes / 4)
      job.keeping[s] = std::make_shared<Values>(count);
  }
}

/// Runs a batch through the stages from the first whose input is not known; returns what ran the
/// last one.
Result<const Program*> StagedEvaluator::run_batch(const Job& job, std::int64_t batch,
                                                  std::size_t lane) {
  const std::int64_t rows = batches_.rows_in(batch);
  const std::int64_t first = batches_.first_row(batch);
  if (rows < batches_.size) lane = static_cast<std::size_t>(lanes_);
  const std::span<const float> all =
      job.kept ? std::span<const float>(*job.kept) : split_->x.data<float>();
  const std::int64_t width =
      job.kept ? width_of(stages_[job.start].sample) : split_->x.size() / split_->rows();
  std::span<const float> in =
      all.subspan(static_cast<std::size_t>(first * width), static_cast<std::size_t>(rows * width));
  for (std::size_t s = job.start; s + 1 < stages_.size(); ++s) {
    Plan& stage = job.plans[s]->middle[lane];
    std::copy(in.begin(), in.end(), stage.input("stage_input").begin());
    CH_CHECK(stage.run());
    in = stage.output();
    if (job.keeping[s + 1])
      std::copy(
          in.begin(), in.end(),
          job.keeping[s + 1]->begin() + first * (static_cast<std::int64_t>(in.size()) / rows));
  }
  Program& last = job.plans.back()->last[lane];
  std::copy(in.begin(), in.end(), last.inputs().begin());
  const auto labels = split_->y.data<std::int64_t>().subspan(static_cast<std::size_t>(first),
                                                             static_cast<std::size_t>(rows));
  std::copy(labels.begin(), labels.end(), last.targets().begin());
  CH_CHECK(last.run());
  return &last;
}

/// What was computed on the way becomes known to all workers.
void StagedEvaluator::remember(Job& job, const Metrics& metrics) {
  const std::lock_guard lock(mutex_);
  for (std::size_t s = job.start + 1; s < stages_.size(); ++s)
    if (job.keeping[s]) {
      const std::size_t bytes = job.keeping[s]->size() * sizeof(float);
      values_.put(job.through[s], std::move(job.keeping[s]), bytes);
    }
  constexpr std::size_t kMostKnown = 100'000;
  if (known_.size() < kMostKnown) known_.emplace(job.through.back(), metrics);
  if (seen_.size() > kMostKnown) seen_.clear();
}

Result<Metrics> StagedEvaluator::run(const Graph& candidate, int worker, const OnPart& on_part) {
  Job job;
  job.through.emplace_back();
  std::vector<std::string> keys;
  for (const GraphStage& stage : stages_) {
    keys.push_back(stage_key(candidate, stage));
    job.through.push_back(cat(job.through.back(), "/", keys.back()));
  }
  if (!on_part) {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(job.through.back());
    if (known != known_.end()) return known->second;
  }
  find_start(job);
  job.plans.resize(stages_.size());
  for (std::size_t s = job.start; s < stages_.size(); ++s) {
    CH_TRY(job.plans[s], plans_for(candidate, s, keys[s], worker));
  }
  stages_kept_ += static_cast<std::int64_t>(job.start);
  stages_run_ += static_cast<std::int64_t>(stages_.size() - job.start);
  Tally tally(batches_.count(), static_cast<std::size_t>(lanes_),
              job.plans.back()->last.front().classes(),
              options_.confusion ? Confusion::Yes : Confusion::No);
  std::vector<Status> faults(static_cast<std::size_t>(lanes_));
  const std::int64_t parts = on_part ? std::min(kParts, batches_.count()) : 1;
  for (std::int64_t part = 1; part <= parts; ++part) {
    for_batches(batches_.count() * (part - 1) / parts, batches_.count() * part / parts, lanes_,
                [&](std::int64_t batch, std::size_t lane) {
                  Result<const Program*> ran = run_batch(job, batch, lane);
                  if (ran)
                    tally.add(batch, lane, *ran.value());
                  else
                    faults[lane] = std::move(ran).failure();
                  return static_cast<bool>(ran);
                });
    for (Status& fault : faults) CH_CHECK(std::move(fault));
    if (part < parts && on_part(part, tally.total())) return tally.total();
  }
  Metrics metrics = tally.total();
  remember(job, metrics);
  return metrics;
}

}  // namespace chop::search

#include "search/evaluation/staged_evaluator.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "compile/compile.hpp"
#include "support/system/threads.hpp"
#include "train/program.hpp"

namespace chop::search {
namespace {

/// Blocks as equal as they can be, so that threads finish together.
std::int64_t even_block(std::int64_t rows, std::int64_t most) {
  const std::int64_t blocks = (rows + most - 1) / most;
  return (rows + blocks - 1) / blocks;
}

constexpr std::int64_t kParts = 5;  // that are told of one by one

std::int64_t width_of(const Shape& sample) {
  return std::accumulate(sample.begin(), sample.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

struct StagedEvaluator::StagePlans {
  std::unique_ptr<ParameterStore> store;
  std::vector<Plan> middle;   ///< of a stage that others follow: by thread, the rest last
  std::vector<Program> last;  ///< of the last stage, likewise
  std::size_t bytes = 0;

  std::span<float> input(std::size_t lane) {
    return last.empty() ? middle[lane].input<float>("stage_input") : last[lane].inputs();
  }
};

struct StagedEvaluator::Job {
  const Graph& candidate;
  int worker = 0;
  std::vector<std::string> through = {};  ///< formats before each cut; after the last: all
  std::vector<std::shared_ptr<StagePlans>> plans = {};
  std::size_t start = 0;                    ///< first stage to run
  std::shared_ptr<const Values> kept = {};  ///< what flows into it; null: the rows themselves
  std::vector<std::shared_ptr<Values>> keeping = {};  ///< what is to be kept, by cut
  std::vector<double> losses = {};                    ///< by block
  std::vector<std::int64_t> correct = {};
  std::vector<std::vector<std::int64_t>> confusion = {};
};

StagedEvaluator::StagedEvaluator(std::vector<GraphStage> stages, const Split& split,
                                 const StagedOptions& options)
    : stages_(std::move(stages)), split_(&split), options_(options), values_(options.most_bytes) {
  rows_ = options.rows > 0 ? std::min(options.rows, split.rows()) : split.rows();
  const std::int64_t most =
      options.in_parts ? std::min(options.batch, (rows_ + kParts - 1) / kParts) : options.batch;
  block_ = even_block(rows_, std::max<std::int64_t>(1, most));
  blocks_ = (rows_ + block_ - 1) / block_;
  lanes_ = blocks_ >= std::int64_t{2} * options.threads ? options.threads : 1;
  const auto workers = static_cast<std::size_t>(options.workers);
  plans_.assign(workers, Lru<StagePlans>(options.most_bytes / workers));
}

Result<std::unique_ptr<StagedEvaluator>> StagedEvaluator::make(const Graph& graph,
                                                               const std::vector<NodeId>& searched,
                                                               const Split& split,
                                                               const StagedOptions& options) {
  if (split.rows() == 0) return Error{.what = "the data set has no rows"};
  CH_TRY(std::vector<GraphStage> stages, cut_into_stages(graph, searched));
  return std::unique_ptr<StagedEvaluator>(new StagedEvaluator(std::move(stages), split, options));
}

std::int64_t StagedEvaluator::rows_in(std::int64_t block) const {
  return std::min(block_, rows_ - block * block_);
}

Result<std::shared_ptr<StagedEvaluator::StagePlans>> StagedEvaluator::plans_for(
    const Graph& candidate, std::size_t stage, const std::string& key, int worker) {
  Lru<StagePlans>& known = plans_[static_cast<std::size_t>(worker)];
  const std::string name = cat(stage, " ", key);
  if (std::shared_ptr<StagePlans> found = known.find(name)) return found;
  const Graph graph = stage_graph(candidate, stages_, stage);
  auto made = std::make_shared<StagePlans>();
  CH_TRY(ParameterStore store, ParameterStore::from(graph));
  made->store = std::make_unique<ParameterStore>(std::move(store));
  const int threads = lanes_ > 1 ? 1 : options_.threads;
  const bool is_last = stage + 1 == stages_.size();
  const auto add = [&](std::int64_t rows) -> Status {
    if (is_last) {
      CH_TRY(Program program,
             Program::evaluation(graph, *made->store, rows, threads, Parameters::Stay));
      made->bytes += program.plan().memory_bytes();
      made->last.push_back(std::move(program));
      return {};
    }
    const auto memory = [&made](const std::string& parameter) {
      return made->store->memory(parameter);
    };
    CH_TRY(Compiled compiled,
           compile_graph(graph, {.batch = rows, .threads = threads, .frozen = true},
                         {.parameter = memory}));
    made->bytes += compiled.plan.memory_bytes();
    made->middle.push_back(std::move(compiled.plan));
    return {};
  };
  for (int lane = 0; lane < lanes_; ++lane) CH_CHECK(add(block_));
  if (const std::int64_t rest = rows_in(blocks_ - 1); rest != block_) CH_CHECK(add(rest));
  plans_made_ += 1;
  known.put(name, made, made->bytes + 4 * static_cast<std::size_t>(graph.parameter_count()));
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
    const auto count = static_cast<std::size_t>(rows_ * width_of(stages_[s].sample));
    const bool came_before = !seen_.insert(job.through[s]).second;
    if (came_before && count * sizeof(float) <= options_.most_bytes / 4)
      job.keeping[s] = std::make_shared<Values>(count);
  }
}

void StagedEvaluator::run_block(Job& job, std::int64_t block, int thread) {
  const std::int64_t rows = rows_in(block);
  const auto lane =
      rows == block_ ? static_cast<std::size_t>(thread) : static_cast<std::size_t>(lanes_);
  const float* from = job.kept ? job.kept->data() : split_->x.data<float>().data();
  const std::int64_t width =
      job.kept ? width_of(stages_[job.start].sample) : split_->x.size() / split_->rows();
  from += block * block_ * width;
  std::int64_t count = rows * width;
  for (std::size_t s = job.start; s < stages_.size(); ++s) {
    StagePlans& plans = *job.plans[s];
    std::memcpy(plans.input(lane).data(), from, static_cast<std::size_t>(count) * sizeof(float));
    if (s + 1 == stages_.size()) break;
    plans.middle[lane].run();
    const std::span<const float> out = plans.middle[lane].output<float>();
    from = out.data();
    count = static_cast<std::int64_t>(out.size());
    if (job.keeping[s + 1])
      std::copy(out.begin(), out.end(),
                job.keeping[s + 1]->begin() + block * block_ * (count / rows));
  }
  Program& program = job.plans.back()->last[lane];
  const auto y = split_->y.data<std::int64_t>().subspan(static_cast<std::size_t>(block * block_),
                                                        static_cast<std::size_t>(rows));
  std::copy(y.begin(), y.end(), program.targets().begin());
  program.run();
  const auto b = static_cast<std::size_t>(block);
  job.losses[b] = program.loss() * static_cast<double>(rows);
  job.correct[b] = program.correct();
  if (options_.confusion) count_confusion(program, job.confusion[b]);
}

/// What was computed on the way becomes known to all.
void StagedEvaluator::keep(Job& job) {
  const std::lock_guard lock(mutex_);
  for (std::size_t s = job.start + 1; s < stages_.size(); ++s)
    if (job.keeping[s]) {
      const std::size_t bytes = job.keeping[s]->size() * sizeof(float);
      values_.put(job.through[s], std::move(job.keeping[s]), bytes);
    }
  constexpr std::size_t kMostKnown = 100'000;
  if (known_.size() < kMostKnown) known_.emplace(job.through.back(), tally(job, blocks_));
  if (seen_.size() > kMostKnown) seen_.clear();
}

Metrics StagedEvaluator::tally(const Job& job, std::int64_t blocks) const {
  Metrics metrics;
  metrics.classes = job.plans.back()->last.front().classes();
  double sum = 0;
  for (std::size_t b = 0; b < static_cast<std::size_t>(blocks); ++b) {
    sum += job.losses[b];
    metrics.correct += job.correct[b];
    metrics.rows += rows_in(static_cast<std::int64_t>(b));
    metrics.confusion.resize(job.confusion[b].size());
    for (std::size_t i = 0; i < metrics.confusion.size(); ++i)
      metrics.confusion[i] += job.confusion[b][i];
  }
  metrics.loss = metrics.rows == 0 ? 0 : sum / static_cast<double>(metrics.rows);
  return metrics;
}

Result<Metrics> StagedEvaluator::run(const Graph& candidate, int worker, const OnPart& on_part) {
  Job job{.candidate = candidate, .worker = worker};
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
  const std::int64_t classes = job.plans.back()->last.front().classes();
  job.losses.resize(static_cast<std::size_t>(blocks_));
  job.correct.resize(static_cast<std::size_t>(blocks_));
  job.confusion.assign(static_cast<std::size_t>(blocks_),
                       std::vector<std::int64_t>(
                           static_cast<std::size_t>(options_.confusion ? classes * classes : 0)));
  const std::int64_t parts = on_part ? std::min(kParts, blocks_) : 1;
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t first = blocks_ * part / parts;
    const std::int64_t end = blocks_ * (part + 1) / parts;
    parallel_for(lanes_, lanes_, [&](std::int64_t lane) {
      for (std::int64_t block = first + lane; block < end; block += lanes_)
        run_block(job, block, static_cast<int>(lane));
    });
    if (part + 1 < parts && on_part(part + 1, tally(job, end))) return tally(job, end);
  }
  keep(job);
  return tally(job, blocks_);
}

}  // namespace chop::search

#include "train/loop/batch_runner.hpp"

namespace chop::train {

BatchRunner::BatchRunner(const Split& split, const BatchOptions& options)
    : options_(options),
      rows_(split.rows()),
      order_(split.rows(), options.batch_size, options.seed),
      gatherer_(split),
      batches_(options.most_batches > 0 ? std::min(options.most_batches, order_.batches())
                                        : order_.batches()) {
  options_.batch_size = std::min(options.batch_size, rows_);
}

Status BatchRunner::compile(const Graph& graph, ParameterStore& store) {
  CH_TRY(Program full, Program::training(graph, store, options_.batch_size, options_.threads));
  programs_.push_back(std::move(full));
  if (worth_feeding()) feeder_.emplace(gatherer_, order_, options_.batch_size);
  const std::int64_t rest = rows_ % options_.batch_size;
  if (rest == 0 || batches_ < order_.batches()) return {};
  Result<Program> last = Program::training(graph, store, rest, options_.threads);
  if (!last)
    return std::move(last).error().note(cat("the last batch of an epoch has ", rest, " of the ",
                                            rows_,
                                            " rows; another --batch-size leaves another rest"));
  programs_.push_back(std::move(last).value());
  return {};
}

bool BatchRunner::depends_on_processor() const {
  return std::any_of(programs_.begin(), programs_.end(),
                     [](const Program& p) { return p.plan().depends_on_processor(); });
}

/// Worth another thread: many small batches of data that no core's own cache holds.
bool BatchRunner::worth_feeding() const {
  constexpr std::size_t kManyBytes = std::size_t{8} << 20;
  constexpr std::size_t kLargeBatch = std::size_t{1} << 20;
  constexpr std::int64_t kManyBatches = 64;
  const auto batch = static_cast<std::size_t>(options_.batch_size) * gatherer_.width();
  return options_.threads > 1 && gatherer_.bytes() > kManyBytes &&
         batch * sizeof(float) < kLargeBatch && batches_ >= kManyBatches;
}

void BatchRunner::start_epoch(std::int64_t epoch, std::int64_t first, Last last) {
  epoch_ = epoch;
  if (feeder_) feeder_->stop();
  order_.start_epoch(static_cast<std::uint64_t>(epoch), options_.threads > 1 && last == Last::No
                                                            ? BatchOrder::Ahead::Yes
                                                            : BatchOrder::Ahead::No);
  if (feeder_) feeder_->start(first);
}

Result<const Program*> BatchRunner::run(std::int64_t batch) {
  const std::span<const std::uint32_t> rows = order_.batch(batch);
  Program& program = static_cast<std::int64_t>(rows.size()) == options_.batch_size
                         ? programs_.front()
                         : programs_.back();
  if (feeder_)
    feeder_->take(batch, program.inputs().data(), program.targets().data());
  else
    gatherer_.gather(rows, program.inputs().data(), program.targets().data());
  // The batch's position in the run, not the optimiser's step: accumulated batches differ too.
  const auto position = static_cast<std::uint64_t>(epoch_ * order_.batches() + batch);
  CH_CHECK(run_and_prefetch(batch, program, {options_.seed, position}));
  return &program;
}

/// Memory answers a few requests at a time: the rows of the next batch are asked for in between
/// the steps of this one.
Status BatchRunner::run_and_prefetch(std::int64_t batch, Program& program, RunState state) {
  if (feeder_ || batch + 1 >= order_.batches()) return program.run(state);
  const std::span<const std::uint32_t> next = order_.batch(batch + 1);
  const std::size_t steps = program.plan().step_count();
  const std::size_t each = (next.size() + steps - 1) / steps;
  return program.run(state, [&](std::size_t step) {
    const std::size_t first = std::min(step * each, next.size());
    gatherer_.prefetch(next.subspan(first, std::min(each, next.size() - first)));
  });
}

}  // namespace chop::train

// What a search is about: a space, how to make a candidate of a point, and how good it is.
#pragma once

#include "search/search_config.hpp"
#include "search/space/quantise_space.hpp"
#include "search/space/train_space.hpp"

namespace chop::search {

struct ProblemOptions {
  std::int64_t batch_size = 128;
  int threads = 1;  ///< shared by all workers
  TrainOptions training = {};
};

/// What came of a point.
struct Evaluation {
  MetricValues software;
  MetricValues hardware;
  MetricValues scaled;             ///< scale times metric, of those that count
  std::vector<double> objectives;  ///< empty: it ended before all was known
  Tree config = {};
};

class SearchProblem {
 public:
  /// Checks the whole configuration. Graph and data outlive the problem.
  static Result<std::unique_ptr<SearchProblem>> make(const SearchConfig& config, const Graph& graph,
                                                     const Dataset& data,
                                                     const ProblemOptions& options);

  const Space& space() const { return space_; }
  const SearchConfig& config() const { return config_; }
  /// Keys with one choice.
  const std::vector<std::pair<std::string, Tree>>& fixed() const { return fixed_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// Whether runs depend on weights that are trained in the trial.
  bool trains() const;
  /// Whether the bits of its metrics do: a plan of the network does (runtime/plan.hpp).
  bool depends_on_processor() const { return depends_on_processor_; }
  /// How many batches trials train and evaluate on; 0: all (`--debug` sets it).
  std::int64_t most_batches() const { return training_.most_batches; }
  /// How trials train where the space does not say, as JSON.
  std::string training_text() const;

  Result<Candidate> candidate(const Point& point);
  /// Safe to call by several workers at once, each with a number of its own. What runners report
  /// comes with the metrics of those that ran before.
  Result<Evaluation> evaluate(const Point& point, const RunHooks& hooks);
  /// Values of the objectives; nothing while a metric is missing.
  std::optional<std::vector<double>> objectives_of(const MetricValues& metrics) const;
  /// The candidate with the weights its trial ended with.
  Result<Candidate> rebuild(const Point& point);

 private:
  SearchProblem(SearchConfig config, const Graph& graph, const Dataset& data)
      : config_(std::move(config)), graph_(graph), data_(data) {}
  Status read_space(const ProblemOptions& options);
  Status make_runners(const ProblemOptions& options);
  Status find_dependence(const ProblemOptions& options);

  SearchConfig config_;
  const Graph& graph_;
  const Dataset& data_;
  TrainOptions training_;
  std::unique_ptr<QuantiseSpace> formats_;  ///< null: formats stay as they are
  std::optional<TrainSpace> train_space_;
  std::size_t format_parameters_ = 0;  ///< the first ones of the space
  Space space_;
  std::vector<std::pair<std::string, Tree>> fixed_;
  std::vector<std::string> notes_;
  std::vector<std::unique_ptr<Runner>> runners_;  ///< as config_.runners
  bool depends_on_processor_ = false;
};

}  // namespace chop::search

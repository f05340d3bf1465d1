// oracle_statistics_dump CASES.json RESULTS.json: feeds every case's samples to its statistic in
// batches of the sizes given. A case: {"stat", "args", "shape", "data", "batches"}.
#include <iostream>
#include <nlohmann/json.hpp>

#include "passes/stat_report.hpp"
#include "report/tree_json.hpp"
#include "support/files.hpp"

namespace chop {
namespace {

Result<Tree> run_case(const nlohmann::ordered_json& task) {
  Tree table = Tree::table();
  table.set(task.at("stat").get<std::string>(), tree_of(task.at("args")));
  CH_TRY(const std::vector<StatisticCall> calls, statistic_calls(table, {.path = "case"}));
  const Shape shape = task.at("shape").get<Shape>();
  CH_TRY(const std::unique_ptr<Statistic> statistic, calls[0].def->make(calls[0].args, shape));
  const auto data = task.at("data").get<std::vector<float>>();
  const float* at = data.data();
  for (const auto batch : task.at("batches").get<std::vector<std::int64_t>>()) {
    statistic->update(at, batch);
    at += batch * numel(shape);
  }
  return stat_tree(statistic->result());
}

Status run(const std::string& from, const std::string& to) {
  CH_TRY(const std::string text, read_file(from));
  Tree results = Tree::list();
  for (const auto& task : nlohmann::ordered_json::parse(text)) {
    CH_TRY(Tree result, run_case(task));
    results.push(std::move(result));
  }
  return write_file(to, to_json(results).dump());
}

}  // namespace
}  // namespace chop

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const chop::Status status = chop::run(argv[1], argv[2]);
  if (!status) std::cerr << chop::to_string(status.error());
  return status ? 0 : 1;
}

// oracle_statistics_dump CASES.json RESULTS.json: feeds every case's samples to its statistic in
// batches of the sizes given. A case: {"stat", "args", "shape", "data", "batches"}.
#include <iostream>

#include "analysis/statistics/stat_report.hpp"
#include "support/json.hpp"
#include "support/system/files.hpp"

namespace chop {
namespace {

Result<Tree> run_case(const Tree& task) {
  Tree table = Tree::table();
  table.set(*task["stat"].as_text(), task["args"]);
  CH_TRY(const std::vector<StatisticCall> calls, statistic_calls(table, {.path = "case"}));
  Shape shape;
  for (const Tree& size : *task["shape"].as_list()) shape.push_back(*size.as_integer());
  CH_TRY(const std::unique_ptr<Statistic> statistic, calls[0].def->make(calls[0].args, shape));
  std::vector<float> data;
  for (const Tree& value : *task["data"].as_list())
    data.push_back(static_cast<float>(value.number()));
  const float* at = data.data();
  for (const Tree& batch : *task["batches"].as_list()) {
    statistic->update(at, *batch.as_integer());
    at += *batch.as_integer() * numel(shape);
  }
  return stat_tree(statistic->result());
}

Status run(const std::string& from, const std::string& to) {
  CH_TRY(const std::string text, read_file(from));
  Tree results = Tree::list();
  CH_TRY(const Tree tasks, parse_json(text, from));
  for (const Tree& task : *tasks.as_list()) {
    CH_TRY(Tree result, run_case(task));
    results.push(std::move(result));
  }
  return write_file(to, to_json(results));
}

}  // namespace
}  // namespace chop

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const chop::Status status = chop::run(argv[1], argv[2]);
  if (!status) std::cerr << chop::to_string(status.error());
  return status ? 0 : 1;
}

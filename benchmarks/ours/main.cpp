// bench_ours WORK [KEY=VALUE ...]: sets the work up, says "ready" with its facts as JSON, then
// measures once for every line it reads and answers with the numbers as JSON.
#include <cstdio>
#include <iostream>

#include "support/text.hpp"
#include "work.hpp"

#include "works.inc"

namespace chop {
namespace {

const std::vector<WorkDef>& all_works() {
  static const std::vector<WorkDef> all = works::collected();
  return all;
}

std::string to_json(const Numbers& numbers) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : numbers) parts.push_back(cat('"', name, "\": ", exact(value)));
  return cat("{", join(parts, ", "), "}");
}

Status run(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  std::vector<std::string> names;
  for (const WorkDef& work : all_works()) {
    names.emplace_back(work.name);
    if (work.name != wanted) continue;
    CH_TRY(const WorkArgs args, WorkArgs::parse(argc - 2, argv + 2));
    CH_TRY(const PreparedWork prepared, work.prepare(args));
    std::cout << "ready " << to_json(prepared.facts) << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
      CH_TRY(const Numbers numbers, prepared.measure());
      std::cout << to_json(numbers) << std::endl;
    }
    return {};
  }
  return Error{.what = cat("unknown work '", wanted, "'"),
               .hint = cat(did_you_mean(wanted, names), "there are ", join(names, ", "))};
}

}  // namespace

Result<WorkArgs> WorkArgs::parse(int count, char** words) {
  WorkArgs args;
  for (int i = 0; i < count; ++i) {
    const std::string word = words[i];
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      return Error{.what = cat("'", word, "' is no KEY=VALUE"), .hint = "such as batch=256"};
    args.values_[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return args;
}

std::string WorkArgs::text(const std::string& key, std::string_view otherwise) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::string(otherwise) : found->second;
}

std::int64_t WorkArgs::number(const std::string& key, std::int64_t otherwise) const {
  return parse_int(text(key)).value_or(otherwise);
}

}  // namespace chop

int main(int argc, char** argv) {
  if (const chop::Status status = chop::run(argc, argv); !status) {
    std::fputs(chop::to_string(status.error()).c_str(), stderr);
    return 1;
  }
  return 0;
}

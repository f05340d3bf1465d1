// Answers the questions of data_test.py: one command per call, numbers to stdout or files.
//
//   permutation SEED N            numpy's RandomState(SEED).permutation(N)
//   random SEED N                 numpy's RandomState(SEED).random_sample(N)
//   split N SEED                  train rows, then test rows, of an 80/20 split
//   npy IN OUT | npz IN OUT       read and write again
//   safetensors IN OUT            read and write again
//   load NAME OUT.npz [KEY=VALUE] a data set as arrays; its notes on stdout
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "data/numpy_random.hpp"
#include "data/splits.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/safetensors.hpp"
#include "support/text.hpp"

namespace {

using chop::Status;
using Arguments = std::vector<std::string>;

std::int64_t whole(const std::string& text) {
  return chop::parse_int(text).value_or(0);
}

void print(const std::vector<std::uint32_t>& numbers) {
  for (const std::uint32_t number : numbers) std::cout << number << ' ';
  std::cout << '\n';
}

Status permutation(const Arguments& args) {
  print(chop::NumpyRandom(static_cast<std::uint32_t>(whole(args[0]))).permutation(whole(args[1])));
  return {};
}

Status random_numbers(const Arguments& args) {
  chop::NumpyRandom random(static_cast<std::uint32_t>(whole(args[0])));
  for (std::int64_t i = 0; i < whole(args[1]); ++i)
    std::cout << chop::exact(random.random_sample()) << '\n';
  return {};
}

Status split(const Arguments& args) {
  const chop::RowSplit rows =
      chop::train_test_split(whole(args[0]), 0.2, static_cast<std::uint32_t>(whole(args[1])));
  print(rows.train);
  print(rows.test);
  return {};
}

Status copy_npy(const Arguments& args) {
  CH_TRY(const chop::Tensor tensor, chop::read_npy(args[0]));
  return chop::write_npy(args[1], tensor);
}

Status copy_npz(const Arguments& args) {
  CH_TRY(const chop::NpzArrays tensors, chop::read_npz(args[0]));
  return chop::write_npz(args[1], tensors);
}

Status copy_safetensors(const Arguments& args) {
  CH_TRY(const chop::SafetensorsFile file, chop::read_safetensors(args[0]));
  return chop::write_safetensors(args[1], file);
}

chop::DataOptions options_from(const Arguments& args) {
  chop::DataOptions options;
  for (std::size_t i = 2; i < args.size(); ++i) {
    const std::vector<std::string> pair = chop::split(args[i], '=');
    if (pair[0] == "path") options.path = pair[1];
    if (pair[0] == "validation") options.validation = chop::parse_validation(pair[1]).value();
    if (pair[0] == "use_cache") options.use_cache = pair[1] == "1";
    if (pair[0] == "rows") options.rows = whole(pair[1]);
    if (pair[0] == "seed") options.seed = static_cast<std::uint64_t>(whole(pair[1]));
    if (pair[0] == "threads") options.threads = static_cast<int>(whole(pair[1]));
    if (pair[0] == "standardise") options.standardise = pair[1] == "1";
  }
  return options;
}

Status load(const Arguments& args) {
  const auto start = std::chrono::steady_clock::now();
  CH_TRY(const chop::Dataset data, chop::load_dataset(args[0], options_from(args)));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  std::cout << "seconds " << taken.count() << '\n';
  for (const std::string& note : data.notes) std::cout << "note " << note << '\n';
  for (const std::string& name : data.class_names) std::cout << "class " << name << '\n';
  for (const std::string& name : data.feature_names) std::cout << "feature " << name << '\n';
  if (args[1] == "-") return {};
  const auto reals = [](const std::vector<double>& values) {
    return chop::Tensor::of<double>({static_cast<std::int64_t>(values.size())}, values);
  };
  return chop::write_npz(args[1], {{"x_train", data.train.x},
                                   {"y_train", data.train.y},
                                   {"x_validation", data.validation.x},
                                   {"y_validation", data.validation.y},
                                   {"x_test", data.test.x},
                                   {"y_test", data.test.y},
                                   {"mean", reals(data.mean)},
                                   {"scale", reals(data.scale)}});
}

Status run(const std::string& command, const Arguments& args) {
  if (args.size() < 2) return chop::Error{.what = "too few arguments"};
  if (command == "permutation") return permutation(args);
  if (command == "random") return random_numbers(args);
  if (command == "split") return split(args);
  if (command == "npy") return copy_npy(args);
  if (command == "npz") return copy_npz(args);
  if (command == "safetensors") return copy_safetensors(args);
  if (command == "load") return load(args);
  return chop::Error{.what = "unknown command '" + command + "'"};
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments all(argv + 1, argv + argc);
  if (all.empty()) return 2;
  const Status status = run(all[0], Arguments(all.begin() + 1, all.end()));
  if (status) return EXIT_SUCCESS;
  std::cerr << chop::to_string(status.error());
  return EXIT_FAILURE;
}

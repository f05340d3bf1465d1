// Runs ONNX's own conformance models: onnx_suite FOLDER prints one line per model,
// "passed|failed|unsupported TAB kind/name TAB operators TAB why".
//
// Every test data set of a model must come out right: type, shape, and values within the
// tolerance of ONNX's own runner (relative 1e-3, absolute 1e-7).
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <set>

#include "compile/run_graph.hpp"
#include "onnx/import.hpp"
#include "onnx/onnx_def.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  std::string verdict;
  std::string why;
};

/// input_0.pb, input_1.pb ... in order.
Result<std::vector<Tensor>> tensors_of(const fs::path& folder, const std::string& start) {
  std::vector<Tensor> tensors;
  for (int i = 0; fs::exists(folder / cat(start, i, ".pb")); ++i) {
    CH_TRY(NamedTensor tensor, read_tensor_file(folder / cat(start, i, ".pb")));
    tensors.push_back(std::move(tensor.tensor));
  }
  return tensors;
}

std::string difference(const Tensor& got, const Tensor& wanted) {
  if (got.dtype() != wanted.dtype())
    return cat("type ", name_of(got.dtype()), ", not ", name_of(wanted.dtype()));
  if (got.shape() != wanted.shape())
    return cat("shape ", to_string(got.shape()), ", not ", to_string(wanted.shape()));
  // The data files cut bfloat16 numbers short where they should be rounded: one last place.
  const double relative = got.dtype() == DType::BF16 ? 0x1p-7 : 1e-3;
  for (std::int64_t i = 0; i < got.size(); ++i) {
    const double a = got.at(i);
    const double b = wanted.at(i);
    const bool near = a == b || (std::isnan(a) && std::isnan(b)) ||
                      std::abs(a - b) <= 1e-7 + relative * std::abs(b);
    if (!near) return cat("element ", i, " is ", a, ", not ", b);
  }
  return "";
}

/// The data files hold the bits of bfloat16 numbers as whole numbers.
Tensor as_declared(const Tensor& tensor, int onnx_type) {
  if (tensor.dtype() != DType::U16 || dtype_of(onnx_type) != DType::BF16) return tensor;
  Tensor halves(DType::BF16, tensor.shape());
  std::memcpy(halves.mutable_bytes(), tensor.bytes(), tensor.size_in_bytes());
  return halves;
}

/// A model whose own message says what it cannot do is unsupported, not wrong.
Outcome run(const OnnxFile& file, const fs::path& data) {
  Result<std::vector<Tensor>> inputs = tensors_of(data, "input_");
  if (!inputs) return {"unsupported", to_string(inputs.error())};
  Result<std::vector<Tensor>> wanted = tensors_of(data, "output_");
  if (!wanted) return {"unsupported", to_string(wanted.error())};
  std::set<std::string> initialised;
  for (const auto& tensor : file.model->graph().initializer()) initialised.insert(tensor.name());
  OnnxImportOptions options;
  std::size_t next = 0;
  for (const auto& input : file.model->graph().input())
    if (!initialised.contains(input.name()) && next < inputs.value().size())
      options.given.emplace(input.name(), as_declared(inputs.value()[next++],
                                                      input.type().tensor_type().elem_type()));
  Result<OnnxImport> imported = import_onnx(file, options);
  if (!imported) return {"unsupported", to_string(imported.error())};
  NamedTensors given;
  for (const auto& [name, tensor] : options.given) {
    const auto& fixed = imported.value().fixed;
    if (std::find(fixed.begin(), fixed.end(), name) == fixed.end()) given.emplace(name, tensor);
  }
  Result<std::vector<NamedOutput>> outputs = run_graph(imported.value().graph, given);
  if (!outputs) return {"failed", to_string(outputs.error())};
  if (outputs.value().size() < wanted.value().size()) return {"failed", "too few outputs"};
  for (std::size_t i = 0; i < wanted.value().size(); ++i)
    if (const std::string wrong = difference(
            outputs.value()[i].value,
            as_declared(
                wanted.value()[i],
                file.model->graph().output(static_cast<int>(i)).type().tensor_type().elem_type()));
        !wrong.empty())
      return {"failed", cat("output ", i, ": ", wrong)};
  return {"passed", ""};
}

void collect(const proto::GraphProto& graph, std::set<std::string>& operators) {
  for (const auto& node : graph.node()) {
    operators.insert(node.op_type());
    for (const auto& attribute : node.attribute())
      if (attribute.has_g()) collect(attribute.g(), operators);
  }
}

void report_on(const fs::path& folder, const std::string& name) {
  std::set<std::string> operators;
  Outcome outcome{"unsupported", ""};
  Result<OnnxFile> file = read_onnx(folder / "model.onnx");
  if (!file) {
    outcome.why = to_string(file.error());
  } else {
    collect(file.value().model->graph(), operators);
    for (int i = 0; fs::exists(folder / cat("test_data_set_", i)); ++i) {
      outcome = run(file.value(), folder / cat("test_data_set_", i));
      if (outcome.verdict != "passed") break;
    }
  }
  std::replace(outcome.why.begin(), outcome.why.end(), '\n', ' ');
  std::cout << outcome.verdict << '\t' << name << '\t'
            << join(std::vector<std::string>(operators.begin(), operators.end()), ",") << '\t'
            << outcome.why << '\n';
}

}  // namespace
}  // namespace chop

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  if (argc < 2) {
    std::cerr << "usage: onnx_suite FOLDER [KIND/NAME]\n";
    return 2;
  }
  for (const char* kind : {"node", "pytorch-converted", "pytorch-operator", "simple"}) {
    std::vector<fs::path> folders;
    if (!fs::exists(fs::path(argv[1]) / kind)) continue;
    for (const auto& entry : fs::directory_iterator(fs::path(argv[1]) / kind))
      folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    for (const fs::path& folder : folders) {
      const std::string name = chop::cat(kind, "/", folder.filename().string());
      if (argc < 3 || name == argv[2]) chop::report_on(folder, name);
    }
  }
  return 0;
}

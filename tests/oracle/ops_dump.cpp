// Runs every op on its samples for ops_test.py: the reference in double and the plan in float,
// both with gradients. Writes argv[1]/index.json and argv[1]/values.bin; tensors lie in the
// latter as 8-byte elements (f64, or i64 for whole numbers), little-endian. With argv[2] and
// argv[3], a seed and a number, on so many random variations of its samples instead.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "../support/random_samples.hpp"
#include "compile/compile.hpp"
#include "compile/gradient.hpp"

namespace chop {
namespace {

using Json = nlohmann::ordered_json;
constexpr RunState kState{.seed = 7, .step = 3};

class TensorFile {
 public:
  explicit TensorFile(const std::string& path) : file_(path, std::ios::binary) {}

  Json add(const Tensor& tensor) {
    const Tensor wide = tensor.to(reference_dtype(tensor.dtype()));
    Json entry = {{"dtype", name_of(wide.dtype())}, {"shape", wide.shape()}, {"offset", offset_}};
    file_.write(reinterpret_cast<const char*>(wide.bytes()),
                static_cast<std::streamsize>(wide.size_in_bytes()));
    offset_ += wide.size_in_bytes();
    return entry;
  }
  bool good() const { return file_.good(); }

 private:
  std::ofstream file_;
  std::size_t offset_ = 0;
};

Json to_json(const Attrs& attrs) {
  Json json = Json::object();
  for (const auto& [name, value] : attrs)
    std::visit([&, &key = name](const auto& v) { json[key] = v; }, value);
  return json;
}

Attrs with_defaults(const OpDef& op, const Attrs& given) {
  Attrs attrs = given;
  attrs.insert(op.defaults.begin(), op.defaults.end());
  return attrs;
}

bool has_training(const OpDef& op) {
  return find_field(op.attrs, "training") != nullptr;
}

/// The graph of one case with its gradients behind it, if the op has any.
struct Prepared {
  Graph graph;
  std::vector<Value> results;              ///< of the call
  std::map<std::string, Value> gradients;  ///< by placeholder or parameter
  NamedTensors inputs;
  Tensor cotangent;
};

Result<Prepared> prepare(const test::Case& at, bool training) {
  test::Made made = test::make(at, training);
  CH_TRY(const Types types, infer_types(made.graph, 2));
  const std::vector<TensorType> out = types[index(made.call)];
  Prepared ready{made.graph, {}, {}, made.inputs, {}};
  for (std::uint32_t i = 0; i < out.size(); ++i) ready.results.push_back({made.call, i});
  ready.cotangent = test::draw({.shape = out[0].shape, .low = -1.5, .high = 1.5},
                               Stream(3, cat("cotangent/", at.name())));
  if (at.op->gradient == nullptr || has(at.op->traits, Trait::NoGradient)) return ready;
  const NodeId seed = made.graph.add({.name = "cotangent",
                                      .opcode = Opcode::Placeholder,
                                      .op = "placeholder",
                                      .target = "cotangent",
                                      .attrs = {{"shape", out[0].shape}}});
  made.graph.set_outputs({{made.call}});
  CH_TRY(GradientGraph backward,
         differentiate(made.graph, 2, {made.call}, made.differentiable, Value{seed}));
  ready.graph = std::move(backward.graph);
  ready.gradients = std::move(backward.gradients);
  ready.inputs.emplace("cotangent", ready.cotangent);
  return ready;
}

Status add_reference(const Prepared& ready, TensorFile& values, Json& entry) {
  CH_TRY(const Values all, run_reference(ready.graph, ready.inputs, kState));
  for (const Value& result : ready.results)
    entry["outputs"].push_back(values.add(all[index(result.node)][result.index]));
  for (const auto& [name, value] : ready.gradients)
    entry["gradients"][name] = values.add(all[index(value.node)][value.index]);
  return {};
}

/// Plans hand out float memory; here it becomes a tensor again.
Tensor plan_output(const Plan& plan, std::size_t number) {
  Tensor tensor(plan.output_type(number));
  const std::span<const std::byte> bytes = std::as_bytes(plan.output<char>(number));
  const std::size_t size = tensor.size_in_bytes();
  if (size > 0) std::memcpy(tensor.mutable_bytes(), bytes.data(), size);
  return tensor;
}

Status add_plan(Prepared& ready, TensorFile& values, Json& entry) {
  std::vector<Value> outputs = ready.results;
  for (const auto& [name, value] : ready.gradients) outputs.push_back(value);
  ready.graph.set_outputs(outputs);
  CH_TRY(Compiled compiled,
         compile_graph(ready.graph, {.mode = Mode::Training, .batch = 2, .lowered = true}));
  Plan& plan = compiled.plan;
  for (const auto& [name, tensor] : ready.inputs) {
    const std::span<char> memory = plan.input<char>(name);
    if (!memory.empty()) std::memcpy(memory.data(), tensor.bytes(), tensor.size_in_bytes());
  }
  CH_CHECK(plan.run(kState));
  std::size_t number = 0;
  for (; number < ready.results.size(); ++number)
    entry["outputs"].push_back(values.add(plan_output(plan, number)));
  for (const auto& [name, value] : ready.gradients)
    entry["gradients"][name] = values.add(plan_output(plan, number++));
  return {};
}

Result<Json> dump_case(const test::Case& at, bool training, TensorFile& values) {
  const OpDef& op = *at.op;
  CH_TRY(Prepared ready, prepare(at, training));
  Attrs attrs = at.sample().attrs;
  if (training) attrs["training"] = true;
  Json entry = {{"op", op.name},
                {"sample", at.number},
                {"given", to_json(at.sample().attrs)},
                {"attrs", to_json(with_defaults(op, attrs))},
                {"repr", op.module.empty() ? "" : module_repr(op, at.sample().attrs)},
                {"inputs", Json::array()},
                {"params", Json::object()},
                {"cotangent", values.add(ready.cotangent)}};
  for (std::size_t i = 0; i < at.sample().inputs.size(); ++i)
    entry["inputs"].push_back(values.add(ready.inputs.at(cat("x", i))));
  for (const Parameter& parameter : ready.graph.parameters()) {
    entry["params"][parameter.name.substr(2)] = values.add(parameter.value);
    entry["trainable"][parameter.name.substr(2)] = parameter.trainable;
  }
  for (const StateUpdate& update : op.updates)
    if (update.output < ready.results.size()) entry["updates"][update.param] = update.output;
  entry["reference"] = {{"outputs", Json::array()}, {"gradients", Json::object()}};
  entry["plan"] = entry["reference"];
  CH_CHECK(add_reference(ready, values, entry["reference"]));
  CH_CHECK(add_plan(ready, values, entry["plan"]));
  return entry;
}

Json describe(const OpDef& op) {
  Json params = Json::array();
  for (const ParamDef& param : op.params) params.push_back(param.name);
  return {{"name", op.name},
          {"mase_type", name_of(op.mase_type)},
          {"torch", op.torch},
          {"module", op.module},
          {"function", op.function},
          {"method", op.method},
          {"random", has(op.traits, Trait::Random)},
          {"params", params}};
}

/// Whether the op takes the sample, and its results are of a size to compare.
bool is_worth_trying(const test::Case& at) {
  constexpr std::int64_t kElements = 4000;
  if (test::elements_of(at.sample()) > kElements) return false;
  Attrs attrs = at.sample().attrs;
  if (!check_attrs(*at.op, attrs)) return false;
  const test::Made made = test::make(at);
  const Result<Types> types = infer_types(made.graph, 2);
  if (!types) return false;
  std::int64_t count = 0;
  for (const TensorType& type : types.value()[index(made.call)]) count += numel(type.shape);
  for (const Parameter& parameter : made.graph.parameters()) count += parameter.value.size();
  return count <= 2 * kElements;
}

/// Adds the cases of one op on random variations of its samples; those it refuses are drawn again.
void add_random(const OpDef& op, std::uint64_t seed, int count, TensorFile& values, Json& cases) {
  constexpr int kTries = 400;
  test::RandomSamples random(seed, op.name);
  OpDef varied = op;
  int made = 0;
  for (int i = 0; i < kTries && made < count && !op.samples.empty(); ++i) {
    varied.samples = {random.vary(op.samples[static_cast<std::size_t>(i) % op.samples.size()])};
    if (!is_worth_trying({&varied, 0})) continue;
    const bool training = has_training(op) && i % 2 == 1;
    Result<Json> entry = dump_case({&varied, 0}, training, values);
    if (!entry) continue;
    entry.value()["sample"] = made++;
    cases.push_back(std::move(entry).value());
  }
}

int write_index(const std::string& folder, const Json& index, const TensorFile& values) {
  std::ofstream file(folder + "/index.json");
  file << index.dump();
  return file.good() && values.good() ? 0 : 1;
}

Json index_of_ops() {
  Json index = {{"ops", Json::array()}, {"cases", Json::array()}};
  for (const OpDef& op : all_ops()) index["ops"].push_back(describe(op));
  return index;
}

int run_random(const std::string& folder, std::uint64_t seed, int count) {
  TensorFile values(folder + "/values.bin");
  Json index = index_of_ops();
  for (const OpDef& op : all_ops())
    if (!op.torch.empty()) add_random(op, seed, count, values, index["cases"]);
  return write_index(folder, index, values);
}

int run(const std::string& folder) {
  TensorFile values(folder + "/values.bin");
  Json index = index_of_ops();
  for (const test::Case& at : test::all_cases()) {
    if (at.op->torch.empty()) continue;
    for (const bool training : {false, true}) {
      if (training && !has_training(*at.op)) continue;
      Result<Json> entry = dump_case(at, training, values);
      if (!entry) {
        std::cerr << at.name() << ": " << to_string(entry.error()) << '\n';
        return 1;
      }
      index["cases"].push_back(std::move(entry).value());
    }
  }
  return write_index(folder, index, values);
}

}  // namespace
}  // namespace chop

int main(int argc, char** argv) {
  if (argc == 4)
    return chop::run_random(argv[1], std::strtoull(argv[2], nullptr, 10), std::atoi(argv[3]));
  return argc == 2 ? chop::run(argv[1]) : 2;
}

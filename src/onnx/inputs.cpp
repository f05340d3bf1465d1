#include "onnx/inputs.hpp"

#include <set>

#include "onnx/importer.hpp"
#include "support/text.hpp"

namespace chop::onnx {
namespace {

Result<OnnxInput> input_of(const proto::ValueInfoProto& info) {
  if (!info.type().has_tensor_type())
    return Error{.what = cat("input '", info.name(), "' is not a tensor"),
                 .hint = "sequences, maps and optional values cannot be imported"};
  const auto& type = info.type().tensor_type();
  const auto dtype = dtype_of(type.elem_type());
  if (!dtype)
    return Error{.what = cat("input '", info.name(), "' holds ", onnx_type_name(type.elem_type()),
                             " elements"),
                 .hint = "real numbers, whole numbers and truth values can be imported"};
  OnnxInput input{.name = info.name(), .dtype = *dtype, .has_shape = type.has_shape()};
  for (const auto& dim : type.shape().dim()) {
    const bool is_open = !dim.has_dim_value() || dim.dim_value() == -1;
    if (!is_open && dim.dim_value() < 0)
      return Error{
          .what = cat("input '", info.name(), "' has the negative dimension ", dim.dim_value())};
    input.shape.push_back(is_open ? -1 : dim.dim_value());
    input.dims.push_back(!is_open                  ? std::to_string(dim.dim_value())
                         : dim.dim_param().empty() ? std::string("?")
                                                   : dim.dim_param());
  }
  return input;
}

/// "x [batch, 3, height, width]" for each input.
std::string described(const std::vector<OnnxInput>& inputs) {
  std::vector<std::string> list;
  for (const OnnxInput& input : inputs)
    list.push_back(cat(input.name,
                       input.has_shape ? cat(" [", join(input.dims, ", "), "]") : " of any shape"));
  return list.empty() ? "no inputs" : join(list, ", ");
}

/// "--shape x=1,3,224,224".
std::string flag_of(const OnnxInput& input) {
  std::vector<std::string> dims;
  for (std::size_t d = 0; d < input.shape.size(); ++d) {
    const bool is_image = input.shape.size() == 4 && d >= 2;
    const char* size = d == 0 ? "1" : is_image ? "224" : "16";
    dims.push_back(input.shape[d] == -1 ? size : std::to_string(input.shape[d]));
  }
  return cat("--shape ", input.name, "=", input.has_shape ? join(dims, ",") : "1,16");
}

bool fits(const OnnxInput& input, const Shape& shape) {
  if (!input.has_shape) return true;
  if (shape.size() != input.shape.size()) return false;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool is_batch = d == 0 && shape[d] == -1 && input.shape[d] <= 1;
    if (input.shape[d] != -1 && input.shape[d] != shape[d] && !is_batch) return false;
  }
  return true;
}

Result<OnnxInput*> find_input(std::vector<OnnxInput>& inputs, const std::string& name) {
  if (name.empty() && inputs.size() == 1) return &inputs[0];
  std::vector<std::string> names;
  for (OnnxInput& input : inputs) {
    if (input.name == name) return &input;
    names.push_back(input.name);
  }
  if (name.empty())
    return Error{.what = cat("--shape says the shape of one input, and the network takes ",
                             described(inputs)),
                 .hint = inputs.empty() ? std::string("leave --shape away")
                                        : cat("name each: ", example_of_shapes(inputs))};
  return Error{.what = cat("--shape ", name, "=...: the network has no such input"),
               .hint = cat(did_you_mean(name, names), "it takes ", described(inputs))};
}

Status check(const OnnxInput& input, const Shape& shape) {
  const bool possible = std::all_of(shape.begin() + (shape.empty() ? 0 : 1), shape.end(),
                                    [](std::int64_t dim) { return dim >= 1; }) &&
                        (shape.empty() || shape[0] >= 1 || shape[0] == -1);
  Shape of_one = shape;
  if (!of_one.empty() && of_one[0] == -1) of_one[0] = 1;
  if (possible && is_possible(of_one) && fits(input, shape)) return {};
  return Error{.what = cat("the input '", input.name, "' cannot have the shape ", to_string(shape)),
               .hint = cat("the file says ", described({input}),
                           "; dimensions are at least 1, and N as the first one is any batch")};
}

}  // namespace

bool OnnxInput::is_open() const {
  return !has_shape || std::find(shape.begin(), shape.end(), -1) != shape.end();
}

Result<std::vector<OnnxInput>> onnx_inputs(const OnnxFile& file) {
  const proto::GraphProto& graph = file.model->graph();
  std::set<std::string_view> taken;
  for (const auto& tensor : graph.initializer()) taken.insert(tensor.name());
  std::vector<OnnxInput> inputs;
  for (const auto& info : graph.input()) {
    if (taken.contains(info.name())) continue;
    CH_TRY(OnnxInput input, input_of(info));
    if (std::any_of(inputs.begin(), inputs.end(),
                    [&](const OnnxInput& other) { return other.name == input.name; }))
      return Error{.what = cat("two inputs are called '", input.name, "'")};
    inputs.push_back(std::move(input));
  }
  return inputs;
}

Result<std::vector<OnnxInput>> onnx_inputs(const MappedFile& mapped) {
  CH_TRY(const OnnxFile file, read_onnx(mapped));
  return onnx_inputs(file);
}

Status set_shapes(std::vector<OnnxInput>& inputs, const std::map<std::string, Shape>& shapes) {
  std::map<std::string, std::int64_t> known;  // open dimensions that have a name in the file
  for (const auto& [name, shape] : shapes) {
    CH_TRY(OnnxInput * input, find_input(inputs, name));
    CH_CHECK(check(*input, shape));
    for (std::size_t d = 0; input->has_shape && d < std::min(shape.size(), input->dims.size()); ++d)
      if (input->shape[d] == -1 && input->dims[d] != "?") known.emplace(input->dims[d], shape[d]);
    input->shape = shape;
    input->has_shape = true;
  }
  for (OnnxInput& input : inputs)
    for (std::size_t d = 0; d < input.shape.size() && d < input.dims.size(); ++d)
      if (const auto same = known.find(input.dims[d]);
          input.shape[d] == -1 && same != known.end() && (same->second != -1 || d == 0))
        input.shape[d] = same->second;
  return {};
}

std::string example_of_shapes(const std::vector<OnnxInput>& inputs) {
  std::vector<std::string> flags;
  for (const OnnxInput& input : inputs)
    if (input.is_open()) flags.push_back(flag_of(input));
  return join(flags, " ");
}

}  // namespace chop::onnx

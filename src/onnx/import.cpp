#include "onnx/import.hpp"

#include "onnx/onnx_call.hpp"
#include "onnx/row_check.hpp"
#include "support/text.hpp"

namespace chop::onnx {
namespace {

constexpr int kNewestOpset = 17;

struct Input {
  std::string name;
  DType dtype = DType::F32;
  Shape shape;  ///< -1 where the file leaves a dimension open
  bool has_shape = true;
};

/// What the first dimension of the inputs becomes.
enum class Batch : std::uint8_t { Open, AsInFile };

Result<Input> input_of(const proto::ValueInfoProto& info) {
  if (!info.type().has_tensor_type())
    return Error{.what = cat("input '", info.name(), "' is not a tensor"),
                 .hint = "sequences, maps and optional values cannot be imported"};
  const auto& type = info.type().tensor_type();
  const auto dtype = dtype_of(type.elem_type());
  if (!dtype)
    return Error{.what = cat("input '", info.name(), "' holds ", onnx_type_name(type.elem_type()),
                             " elements"),
                 .hint = "real numbers, whole numbers and truth values can be imported"};
  Input input{info.name(), *dtype, {}, type.has_shape()};
  for (const auto& dim : type.shape().dim()) {
    const bool is_open = !dim.has_dim_value() || dim.dim_value() == -1;
    if (!is_open && dim.dim_value() < 0)
      return Error{
          .what = cat("input '", info.name(), "' has the negative dimension ", dim.dim_value())};
    input.shape.push_back(is_open ? -1 : dim.dim_value());
  }
  return input;
}

class Import {
 public:
  Import(const OnnxFile& file, const OnnxImportOptions& options) : file_(file), options_(options) {}

  Result<OnnxImport> run() {
    CH_CHECK(read_versions());
    CH_CHECK(read_inputs());
    const bool open = can_open();
    Result<OnnxImport> made = attempt(open ? Batch::Open : Batch::AsInFile);
    if (!open || !says_one()) return made;
    if (made && rows_are_independent(made.value().graph)) {
      made.value().opened_batch = true;
      return made;
    }
    Result<OnnxImport> as_is = attempt(Batch::AsInFile);
    if (as_is)
      as_is.value().notes.push_back(
          cat("the network takes one row at a time, as its file says: ",
              made ? std::string("it could not be shown that its rows do not depend on each other")
                   : made.error().what));
    return as_is;
  }

 private:
  Status read_versions() {
    for (const auto& set : file_.model->opset_import()) {
      const bool main = is_main_domain(set.domain());
      if (main && (set.version() < 1 || set.version() > kNewestOpset))
        return Error{.what = cat("'", file_.name, "' is written in opset ", set.version()),
                     .hint = cat("opsets up to ", kNewestOpset,
                                 " are read; export it with opset_version=", kNewestOpset)};
      versions_[main ? "" : set.domain()] = static_cast<int>(set.version());
    }
    return {};
  }

  Status read_inputs() {
    const proto::GraphProto& graph = file_.model->graph();
    std::set<std::string_view> initialised;
    for (const auto& tensor : graph.initializer()) initialised.insert(tensor.name());
    for (const auto& info : graph.input()) {
      if (initialised.contains(info.name())) continue;
      CH_TRY(Input input, input_of(info));
      if (std::any_of(inputs_.begin(), inputs_.end(),
                      [&](const Input& other) { return other.name == input.name; }))
        return Error{.what = cat("two inputs are called '", input.name, "'")};
      if (const auto given = options_.given.find(input.name); given != options_.given.end()) {
        input.shape = given->second.shape();
        input.has_shape = true;
      }
      inputs_.push_back(std::move(input));
    }
    return {};
  }

  bool can_open() const {
    if (!options_.open_batch || !options_.given.empty() || inputs_.empty()) return false;
    return says_one() || std::any_of(inputs_.begin(), inputs_.end(), [](const Input& input) {
             return !input.shape.empty() && input.shape[0] == -1;
           });
  }
  /// The file is for one row, in all of its inputs.
  bool says_one() const {
    return std::all_of(inputs_.begin(), inputs_.end(), [](const Input& input) {
      return !input.shape.empty() && input.shape[0] == 1;
    });
  }

  Result<OnnxImport> attempt(Batch batch) {
    std::set<std::string> fixed;
    while (true) {
      Importer importer(options_.name);
      Result<OnnxImport> made = attempt(importer, batch, fixed);
      if (made) return made;
      // An operator needed the value of an input that the caller has given: import again with it as
      // a constant.
      const std::size_t before = fixed.size();
      for (const std::string& name : importer.wanted_inputs()) {
        if (!options_.given.contains(name)) return made;
        fixed.insert(name);
      }
      if (fixed.size() == before) return made;
    }
  }

  Result<OnnxImport> attempt(Importer& importer, Batch batch, const std::set<std::string>& fixed) {
    OnnxScope scope{file_, importer, {}, versions_};
    for (const Input& input : inputs_) {
      if (fixed.contains(input.name)) {
        scope.names[input.name] = importer.constant(options_.given.at(input.name));
        continue;
      }
      if (!input.has_shape)
        return Error{.what = cat("input '", input.name, "' has no shape in the file"),
                     .hint = "export it with one; `ch run` takes it from the array given"};
      Shape shape = input.shape;
      const bool open = batch == Batch::Open && !shape.empty() && (shape[0] == -1 || says_one());
      if (open) shape[0] = -1;
      for (std::size_t d = open ? 1 : 0; d < shape.size(); ++d)
        if (shape[d] == -1)
          return Error{.what = cat("input '", input.name, "' leaves dimension ", d, " open"),
                       .hint =
                           "dimension 0, the batch, may be open; fix the others when exporting "
                           "(`ch run` takes them from the arrays given)"};
      scope.names[input.name] = importer.input(input.name, std::move(shape), input.dtype);
    }
    import_nodes(scope, file_.model->graph());
    if (importer.failed()) return *importer.error();
    std::vector<ImportValue> outputs;
    std::vector<std::string> names;
    for (const auto& info : file_.model->graph().output()) {
      const auto found = scope.names.find(info.name());
      if (found == scope.names.end())
        return Error{.what = cat("nothing makes the output '", info.name(), "'")};
      outputs.push_back(found->second);
      names.push_back(info.name());
    }
    CH_TRY(Graph graph, importer.finish(outputs, names));
    return OnnxImport{std::move(graph), false, {fixed.begin(), fixed.end()}, {}};
  }

  const OnnxFile& file_;
  const OnnxImportOptions& options_;
  std::map<std::string, int, std::less<>> versions_;
  std::vector<Input> inputs_;
};

}  // namespace

Result<OnnxImport> import_onnx(const OnnxFile& file, const OnnxImportOptions& options) {
  Result<OnnxImport> made = Import(file, options).run();
  if (!made) return std::move(made).error().note(cat("while importing '", file.name, "'"));
  return made;
}

Result<OnnxImport> import_onnx(const MappedFile& mapped, const OnnxImportOptions& options) {
  CH_TRY(const OnnxFile file, read_onnx(mapped));
  return import_onnx(file, options);
}

}  // namespace chop::onnx

#include "onnx/import.hpp"

#include "onnx/inputs.hpp"
#include "onnx/onnx_call.hpp"
#include "onnx/row_check.hpp"
#include "support/text.hpp"

namespace chop::onnx {
namespace {

/// Up to here every operator that is imported has kept its meaning, or a newer form of it shows in
/// an attribute, a mode or a type that is refused (opsets 18 to 22 brought axes of Pad and
/// num_outputs of Split, which are read; axes of reductions as inputs; and bf16, float8 and 4-bit
/// types).
constexpr int kNewestOpset = 22;

/// What the first dimension of the inputs becomes.
enum class Batch : std::uint8_t { Open, AsInFile };

class Import {
 public:
  Import(const OnnxFile& file, const OnnxImportOptions& options) : file_(file), options_(options) {}

  Result<OnnxImport> run() {
    CH_CHECK(read_versions());
    CH_CHECK(read_inputs());
    const bool open = can_open();
    Result<OnnxImport> made = attempt(open ? Batch::Open : Batch::AsInFile);
    if (!made && open && !says_one()) return offer_one_row(std::move(made).error());
    if (!open || !says_one()) return made;
    if (made && rows_are_independent(made.value().graph)) {
      made.value().opened_batch = true;
      return made;
    }
    Result<OnnxImport> as_is = attempt(Batch::AsInFile);
    if (as_is)
      as_is.value().notes.push_back(
          cat("the network takes one row at a time: ",
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
    CH_TRY(inputs_, onnx_inputs(file_));
    for (OnnxInput& input : inputs_)
      if (const auto given = options_.given.find(input.name); given != options_.given.end()) {
        input.shape = given->second.shape();
        input.has_shape = true;
      }
    return set_shapes(inputs_, options_.shapes);
  }

  bool can_open() const {
    if (!options_.open_batch || !options_.given.empty() || inputs_.empty()) return false;
    return says_one() || std::any_of(inputs_.begin(), inputs_.end(), [](const OnnxInput& input) {
             return !input.shape.empty() && input.shape[0] == -1;
           });
  }
  /// The file is for one row, in all of its inputs.
  bool says_one() const {
    return std::all_of(inputs_.begin(), inputs_.end(), [](const OnnxInput& input) {
      return !input.shape.empty() && input.shape[0] == 1;
    });
  }

  /// An error of a network that cannot be opened for any batch: can it be opened for one row?
  Error offer_one_row(Error error) {
    const std::string flags = example_of_shapes(inputs_);
    for (OnnxInput& input : inputs_)
      if (!input.shape.empty() && input.shape[0] == -1) input.shape[0] = 1;
    if (attempt(Batch::AsInFile))
      error.hint = cat("the network can be opened for one row at a time: ", flags);
    return error;
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
    for (const OnnxInput& input : inputs_) {
      if (fixed.contains(input.name)) {
        scope.names[input.name] = importer.constant(options_.given.at(input.name));
        continue;
      }
      if (!input.has_shape)
        return Error{.what = cat("input '", input.name, "' has no shape in the file"),
                     .hint = cat("say it, for example ", example_of_shapes(inputs_))};
      Shape shape = input.shape;
      const bool open = batch == Batch::Open && !shape.empty() && (shape[0] == -1 || says_one());
      if (open) shape[0] = -1;
      for (std::size_t d = open ? 1 : 0; d < shape.size(); ++d)
        if (shape[d] == -1)
          return Error{.what = cat("input '", input.name, "' leaves dimension ", d, " open: [",
                                   join(input.dims, ", "), "]"),
                       .hint = cat("say its size, for example ", example_of_shapes(inputs_))};
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
  std::vector<OnnxInput> inputs_;
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

// Saves a graph as JSON metadata beside its parameters; loading fills the parameters by name and
// lists every difference.
#include "io/checkpoint.hpp"

#include "io/safetensors.hpp"
#include "io/torch/torch_checkpoint.hpp"
#include "io/weights_file.hpp"
#include "ir/json.hpp"
#include "support/escape.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::io {
namespace {

constexpr const char* kGraphKey = kGraphMetadata;
constexpr const char* kVersionKey = "chop.version";
constexpr const char* kVersion = "2";          ///< written since checkpoints have checksums
constexpr const char* kWithoutChecksum = "1";  ///< read as well
constexpr std::size_t kMostListed = 8;

using TensorsByName = std::map<std::string, Tensor>;

/// Collects the ways in which a set of tensors differs from the parameters of a graph.
struct Differences {
  std::vector<std::string> notes;
  std::size_t left_out = 0;

  void add(std::string note) {
    if (notes.size() < kMostListed)
      notes.push_back(std::move(note));
    else
      ++left_out;
  }
  Status status(std::string what, std::string hint) && {
    if (notes.empty()) return {};
    if (left_out > 0) notes.push_back(cat("and ", left_out, " more"));
    return Error{.what = std::move(what), .notes = std::move(notes), .hint = std::move(hint)};
  }
};

/// Takes the tensor of this name and type out of `tensors`, or notes why there is none.
std::optional<Tensor> take(TensorsByName& tensors, const std::string& name, const TensorType& type,
                           Differences& differences) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) {
    differences.add(cat("missing: ", name));
    return {};
  }
  const Tensor tensor = std::move(found->second);
  tensors.erase(found);
  if (tensor.type() == type) return tensor;
  differences.add(cat(name, " is ", name_of(tensor.dtype()), to_string(tensor.shape()),
                      ", expected ", name_of(type.dtype), to_string(type.shape)));
  return {};
}

/// Moves tensors into the parameters of their names; those that fit no parameter stay in `tensors`.
Differences fill(Graph& graph, TensorsByName& tensors) {
  Differences differences;
  for (Parameter& parameter : graph.parameters())
    if (auto value = take(tensors, parameter.name, parameter.value.type(), differences))
      parameter.value = *std::move(value);
  return differences;
}

std::string describe(const Node& node) {
  std::vector<std::string> attrs;
  for (const auto& [name, value] : node.attrs) attrs.push_back(cat(name, "=", to_text(value)));
  return cat(node.op, "(", join(attrs, ", "), ")");
}

/// Node by node: same op, target, attributes and wiring. Formats and metadata may differ.
Status check_same_nodes(const Graph& wanted, const Graph& given) {
  const auto other_network = [&](std::string note) {
    return Error{
        .what = "the checkpoint is of another network, though its parameters have the same names",
        .notes = {std::move(note)},
        .hint = "load it with the network it was trained with"};
  };
  if (wanted.size() != given.size())
    return other_network(
        cat("it has ", given.size(), " nodes, '", wanted.name(), "' has ", wanted.size()));
  std::map<NodeId, NodeId> match;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Node& a = wanted.node(wanted.order()[i]);
    const Node& b = given.node(given.order()[i]);
    match[wanted.order()[i]] = given.order()[i];
    bool same = a.op == b.op && a.opcode == b.opcode && a.target == b.target &&
                a.attrs == b.attrs && a.inputs.size() == b.inputs.size();
    for (std::size_t k = 0; same && k < a.inputs.size(); ++k)
      same = match[a.inputs[k].node] == b.inputs[k].node && a.inputs[k].index == b.inputs[k].index;
    if (!same)
      return other_network(cat("node '", b.name, "' is ", describe(b), " there; '", a.name, "' is ",
                               describe(a), " here"));
  }
  return {};
}

bool is_native(const SafetensorsFile& file) {
  return file.metadata.contains(kGraphKey);
}

Error no_graph(const std::filesystem::path& path) {
  return Error{.what = cat("'", path.string(),
                           "' holds weights but no graph: it is not a checkpoint of ours"),
               .hint = cat("checkpoints written by `ch train` hold both; `ch test MODEL DATASET "
                           "--load ",
                           path.string(), "` loads weights into a network")};
}

Status check_version(const SafetensorsFile& file, const std::filesystem::path& path) {
  const auto found = file.metadata.find(kVersionKey);
  const std::string version = found == file.metadata.end() ? "unknown" : found->second;
  if (version == kVersion && !file.has_checksum)
    return Error{.what = cat("'", path.string(), "' is damaged: its checksum is missing"),
                 .hint = "use another copy of it"};
  if (version == kVersion || version == kWithoutChecksum) return {};
  return Error{.what = cat("'", path.string(), "' is of version ", version, "; this program reads ",
                           kWithoutChecksum, " and ", kVersion),
               .hint = "read it with the program that wrote it, or a newer one"};
}

Result<Checkpoint> from_file(SafetensorsFile file, const std::filesystem::path& path) {
  if (!is_native(file)) return no_graph(path);
  CH_CHECK(check_version(file, path));
  TensorsByName tensors;
  std::vector<std::string> order;
  for (auto& [name, tensor] : file.tensors) {
    order.push_back(name);
    tensors.emplace(name, std::move(tensor));
  }
  Differences differences;
  // Nothing is allocated by what the graph claims: its parameters are the tensors of the file.
  const ParameterSource source = [&](const std::string& name,
                                     const TensorType& type) -> Result<Tensor> {
    return take(tensors, name, type, differences).value_or(Tensor());
  };
  Result<Graph> graph = graph_from_json(file.metadata.at(kGraphKey), source);
  if (!graph) return std::move(graph).error().note(cat("in the graph of '", path.string(), "'"));
  CH_CHECK(std::move(differences)
               .status(cat("'", path.string(), "' does not hold the tensors its graph needs"),
                       "the file is damaged; use another copy or train again"));
  Checkpoint checkpoint{.graph = std::move(graph).value()};
  for (const std::string& name : order)
    if (const auto found = tensors.find(name); found != tensors.end())
      checkpoint.extra.emplace_back(name, std::move(found->second));
  for (auto& [key, value] : file.metadata)
    if (key != kGraphKey && key != kVersionKey) checkpoint.info.emplace(key, std::move(value));
  return checkpoint;
}

}  // namespace

Status save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  SafetensorsFile file{.metadata = checkpoint.info, .tensors = {}};
  file.metadata[kGraphKey] = to_json(checkpoint.graph);
  file.metadata[kVersionKey] = kVersion;
  for (const Parameter& parameter : checkpoint.graph.parameters())
    file.tensors.emplace_back(parameter.name, parameter.value);
  file.tensors.insert(file.tensors.end(), checkpoint.extra.begin(), checkpoint.extra.end());
  return write_safetensors(path, file);
}

Result<Checkpoint> load_checkpoint(const MappedFile& mapped) {
  const std::span<const std::byte> bytes = mapped.bytes();
  const bool is_ours = bytes.size() > 8 && bytes[8] == std::byte{'{'};
  if (!is_ours && TorchCheckpoint::looks_like_one(bytes)) return no_graph(mapped.path());
  CH_TRY(SafetensorsFile file, read_safetensors(mapped));
  if (is_native(file) && !file.has_checksum)
    log_info(cat("'", mapped.path().string(),
                 "' has no checksum: it was written before checkpoints had one"));
  return from_file(std::move(file), mapped.path());
}

Result<Checkpoint> load_checkpoint(const std::filesystem::path& path) {
  CH_TRY(const MappedFile mapped, MappedFile::open(path));
  return load_checkpoint(mapped);
}

Status check_same_network(const Graph& wanted, const Graph& given) {
  Graph copy = wanted;
  TensorsByName tensors;
  for (const Parameter& parameter : given.parameters())
    tensors.emplace(parameter.name, parameter.value);
  Differences differences = fill(copy, tensors);
  for (const auto& [name, tensor] : tensors) differences.add(cat("unexpected: ", name));
  CH_CHECK(
      std::move(differences)
          .status(cat("the checkpoint is of another network ('", given.name(), "') than '",
                      wanted.name(), "'"),
                  cat("name the model it was made with, or train '", wanted.name(), "' first")));
  return check_same_nodes(wanted, given);
}

std::string trained_on(const Checkpoint& checkpoint) {
  const auto found = checkpoint.info.find(kTrainedOn);
  return found == checkpoint.info.end() ? "" : from_utf8(found->second);
}

bool is_transformed_from(const Checkpoint& checkpoint, const Graph& model) {
  const auto found = checkpoint.info.find(kTransformedFrom);
  return found != checkpoint.info.end() && found->second == model.name();
}

}  // namespace chop::io

// Finds the prefix under which most names of the file fit the network, matches names and shapes,
// and puts the tensors in only when all of it fits (or the user asked for a part).
#include "io/load_weights.hpp"

#include <set>

#include "io/torch/state_dict.hpp"
#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop::io {
namespace {

namespace fs = std::filesystem;
using EntriesByName = std::map<std::string, const WeightsEntry*>;

/// PyTorch's count of batches, which our batch norms do not need.
constexpr std::string_view kUncounted = ".num_batches_tracked";

/// Names that differ in one way; the first few and how many there are.
struct Listed {
  std::vector<std::string> notes;
  std::size_t count = 0;

  void add(std::string note) {
    constexpr std::size_t kMost = 10;
    if (count++ < kMost) notes.push_back(std::move(note));
  }
  void append_to(std::vector<std::string>& all, std::string_view what) const {
    all.insert(all.end(), notes.begin(), notes.end());
    if (count > notes.size()) all.push_back(cat("and ", count - notes.size(), " more ", what));
  }
};

/// What a file has for the parameters of a graph.
struct Match {
  std::vector<std::pair<std::size_t, const WeightsEntry*>> taken;  ///< parameter, its tensor
  Listed missing;
  Listed misshapen;
  Listed unexpected;

  bool complete() const { return missing.count + misshapen.count + unexpected.count == 0; }
  std::string counts() const {
    std::vector<std::string> parts;
    if (missing.count > 0) parts.push_back(cat(missing.count, " missing"));
    if (misshapen.count > 0) parts.push_back(cat(misshapen.count, " of another shape"));
    if (unexpected.count > 0) parts.push_back(cat(unexpected.count, " unexpected"));
    return join(parts, ", ");
  }
  std::vector<std::string> notes() const {
    std::vector<std::string> all;
    missing.append_to(all, "missing");
    misshapen.append_to(all, "of another shape");
    unexpected.append_to(all, "unexpected");
    return all;
  }
};

/// Whether a tensor of one dtype can be converted to the other: the same, or both real.
bool converts(DType from, DType to) {
  return from == to || (is_floating(from) && is_floating(to));
}

std::size_t known_names(const std::set<std::string>& wanted, const EntriesByName& entries) {
  return static_cast<std::size_t>(
      std::count_if(entries.begin(), entries.end(),
                    [&](const auto& entry) { return wanted.contains(entry.first); }));
}

/// The tensors under the names that fit the graph best: as they are, without the prefix that
/// all of them have, with the prefix that was taken off, or without one that only some have.
EntriesByName named_for(const Graph& graph, const WeightsFile& file) {
  std::set<std::string> wanted;
  for (const Parameter& parameter : graph.parameters()) wanted.insert(parameter.name);
  std::vector<std::string> names;
  for (const WeightsEntry& entry : file.tensors) names.push_back(entry.name);
  const std::size_t cut = common_prefix(names).size();
  EntriesByName best;
  EntriesByName shorter;
  EntriesByName longer;
  for (const WeightsEntry& entry : file.tensors) {
    best.emplace(entry.name, &entry);
    shorter.emplace(entry.name.substr(cut), &entry);
    longer.emplace(file.prefix + entry.name, &entry);
  }
  std::vector<EntriesByName> others = {std::move(shorter), std::move(longer)};
  for (const std::string_view prefix : weight_prefixes()) {
    EntriesByName& stripped = others.emplace_back();
    for (const WeightsEntry& entry : file.tensors)
      stripped.emplace(
          entry.name.starts_with(prefix) ? entry.name.substr(prefix.size()) : entry.name, &entry);
  }
  for (EntriesByName& other : others)
    if (known_names(wanted, other) > known_names(wanted, best)) best = std::move(other);
  return best;
}

/// "fc.mask" as "fc.mask.mask": in a module of its name, as LogicNets keep masks.
std::string name_in_module(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name + name.substr(dot);
}

Match match_names(const Graph& graph, const WeightsFile& file) {
  Match match;
  EntriesByName entries = named_for(graph, file);
  for (std::size_t i = 0; i < graph.parameters().size(); ++i) {
    const Parameter& parameter = graph.parameters()[i];
    auto found = entries.find(parameter.name);
    if (found == entries.end()) found = entries.find(name_in_module(parameter.name));
    if (found == entries.end()) {
      match.missing.add(cat("missing: ", parameter.name));
      continue;
    }
    const WeightsEntry& entry = *found->second;
    const TensorType type = parameter.value.type();
    if (entry.shape == type.shape && converts(entry.dtype, type.dtype))
      match.taken.emplace_back(i, &entry);
    else
      match.misshapen.add(cat(parameter.name, " is ", name_of(entry.dtype), to_string(entry.shape),
                              ", expected ", name_of(type.dtype), to_string(type.shape)));
    entries.erase(found);
  }
  for (const auto& [name, entry] : entries)
    if (!name.ends_with(kUncounted))
      match.unexpected.add(cat("unexpected: ", shown_in_message(name)));
  return match;
}

Status check_match(const Match& match, const Graph& model, const fs::path& path, bool partial) {
  if (match.complete()) return {};
  std::string hint = "`ch models NAME` shows what a model needs";
  if (!partial && !match.taken.empty())
    hint = cat("--load-partial takes the ", match.taken.size(), " that fit; ", hint);
  if (partial && !match.taken.empty()) return {};
  return Error{.what = cat("the tensors of '", path.string(), "' are not those of '", model.name(),
                           "': ", match.counts()),
               .notes = match.notes(),
               .hint = std::move(hint)};
}

Result<LoadedWeights> load_by_name(const Graph& model, const fs::path& path,
                                   const WeightsFile& file, bool partial) {
  const Match match = match_names(model, file);
  CH_CHECK(check_match(match, model, path, partial));
  LoadedWeights loaded{.graph = model, .type = file.type, .notes = file.notes};
  for (const auto& [index, entry] : match.taken) {
    Result<Tensor> value = entry->read();
    if (!value)
      return std::move(value).error().note(cat("tensor '", shown_in_message(entry->name), "'"));
    Parameter& parameter = loaded.graph.parameters()[index];
    const DType dtype = parameter.value.dtype();
    parameter.value =
        value.value().dtype() == dtype ? std::move(value).value() : value.value().to(dtype);
  }
  if (match.complete()) return loaded;
  loaded.notes.push_back(cat("took ", match.taken.size(), " of ", model.parameters().size(),
                             " tensors; not taken: ", match.counts()));
  const std::vector<std::string> left = match.notes();
  loaded.notes.insert(loaded.notes.end(), left.begin(), left.end());
  return loaded;
}

}  // namespace

Result<LoadedWeights> load_weights(const Graph& model, const fs::path& path,
                                   const LoadOptions& options) {
  CH_TRY(const MappedFile mapped, MappedFile::open(path));
  return load_weights(model, mapped, options);
}

Result<LoadedWeights> load_weights(const Graph& model, const MappedFile& mapped,
                                   const LoadOptions& options) {
  CH_TRY(const WeightsFile file, read_weights_file(mapped, options.type));
  const fs::path& path = mapped.path();
  if (file.type != LoadType::Mz) return load_by_name(model, path, file, options.partial);
  CH_TRY(Checkpoint checkpoint, load_checkpoint(mapped));
  const bool transformed = is_transformed_from(checkpoint, model);
  if (!transformed) {
    Status same = check_same_network(model, checkpoint.graph);
    if (!same && options.partial) return load_by_name(model, path, file, true);
    CH_CHECK(std::move(same));
  }
  return LoadedWeights{.graph = std::move(checkpoint.graph),
                       .transformed = transformed,
                       .trained_on = trained_on(checkpoint)};
}

}  // namespace chop::io

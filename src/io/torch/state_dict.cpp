// Finds the part of a checkpoint that holds the weights, and lists the tensors in its nested dicts
// by their paths.
#include "io/torch/state_dict.hpp"

#include <set>

#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop::io {
namespace {

constexpr std::array<std::string_view, 7> kPrefixes = {
    "model.", "module.", "_orig_mod.", "state_dict.", "model_dict.", "state.", "ema."};
/// In this order: averaged weights come after those of the network itself.
constexpr std::array<std::string_view, 13> kSections = {
    "state_dict", "model_state_dict", "model_dict", "model_state", "state",          "model", "net",
    "network",    "module",           "weights",    "params",      "ema_state_dict", "ema"};
constexpr std::size_t kMostSteps = 500'000;
constexpr std::size_t kLongestName = 4096;
constexpr std::size_t kMostText = std::size_t{16} << 20;

/// Walks nested values. A pickle may refer to one value many times, so the steps are counted:
/// ten dicts that each hold the next one ten times have 10^10 leaves.
class Walk {
 public:
  Walk(const Pickle& pickle, const TorchStorages& storages, std::string_view file)
      : pickle_(pickle), storages_(storages), file_(file) {}

  Status go(const PickleValue& value, const std::string& path, std::size_t depth = 0);

  std::vector<TorchTensor> tensors;
  std::map<std::string, std::string> scalars;

 private:
  Error refused(const std::string& reason) const {
    return Error{.what = cat("'", file_, "' is refused: ", reason),
                 .hint =
                     "in Python, torch.save(model.state_dict(), 'weights.pt') writes a file "
                     "that can be read"};
  }
  Status keep(std::size_t bytes);
  Status add(const PickleValue& value, const std::string& path);
  Status go_into(const PickleValue& value, const std::string& path, std::size_t depth);

  const Pickle& pickle_;
  const TorchStorages& storages_;
  std::string_view file_;
  std::set<std::string> names_;
  std::size_t steps_ = 0;
  std::size_t text_ = 0;  ///< bytes of the names and texts kept
};

Status Walk::keep(std::size_t bytes) {
  text_ += bytes;
  if (text_ > kMostText)
    return refused(cat("its names and texts take more than ", kMostText, " bytes"));
  return {};
}

Status Walk::add(const PickleValue& value, const std::string& path) {
  const std::string name = path.empty() ? "tensor" : path;
  CH_CHECK(keep(name.size()));
  Result<TorchTensor> tensor = tensor_of(pickle_, value, storages_);
  if (!tensor)
    return std::move(tensor).error().note(
        cat("tensor '", shown_in_message(name), "' of '", file_, "'"));
  if (!names_.insert(name).second)
    return refused(cat("two tensors are named '", shown_in_message(name), "'"));
  tensor.value().name = name;
  tensors.push_back(std::move(tensor).value());
  return {};
}

Status Walk::go_into(const PickleValue& value, const std::string& path, std::size_t depth) {
  const bool is_dict = value.kind == PickleKind::Dict;
  const std::size_t step = is_dict ? 2 : 1;
  for (std::size_t i = 0; i + step <= value.items.size(); i += step) {
    const PickleValue& key = pickle_[value.items[i]];
    std::string name = std::to_string(i);
    if (is_dict) {
      const std::optional<std::string> text = scalar_text(key);
      if (!text) continue;
      name = *text;
    }
    std::string full = path;
    if (!full.empty()) full += '.';
    full += name;
    if (full.size() > kLongestName)
      return refused(cat("a name has more than ", kLongestName, " characters"));
    CH_CHECK(go(pickle_[value.items[i + step - 1]], full, depth + 1));
  }
  return {};
}

Status Walk::go(const PickleValue& value, const std::string& path, std::size_t depth) {
  constexpr std::size_t kDeepest = 200;
  if (++steps_ > kMostSteps)
    return refused(cat("its values hold each other more than ",
                       with_commas(static_cast<std::int64_t>(kMostSteps)), " times over"));
  if (depth > kDeepest) return refused("its values hold themselves");
  if (is_tensor(pickle_, value)) return add(value, path);
  if (value.kind == PickleKind::Dict || value.kind == PickleKind::List ||
      value.kind == PickleKind::Tuple)
    return go_into(value, path, depth);
  if (const std::optional<std::string> text = scalar_text(value); text && !path.empty()) {
    CH_CHECK(keep(path.size() + text->size()));
    scalars.emplace(path, *text);
  }
  return {};
}

/// The key of the part that holds the weights, or an empty text when all of it does.
std::string_view section_of(const Pickle& pickle, const PickleValue& top) {
  if (top.kind != PickleKind::Dict) return {};
  bool tensors_at_top = false;
  for (std::size_t i = 1; i < top.items.size(); i += 2)
    tensors_at_top = tensors_at_top || is_tensor(pickle, pickle[top.items[i]]);
  for (const std::string_view name : kSections) {
    // Only under these names are tensors beside them (a loss) certainly not weights.
    if (tensors_at_top && !name.ends_with("state_dict")) continue;
    if (const PickleValue* part = pickle.find(top, name);
        part != nullptr && part->kind == PickleKind::Dict && !part->items.empty())
      return name;
  }
  return {};
}

/// Numbers and texts at the top, such as epoch, and the hyper-parameters Lightning keeps.
Status take_metadata(Walk& walk, const Pickle& pickle, const PickleValue& top,
                     std::map<std::string, std::string>& metadata) {
  for (std::size_t i = 0; i + 1 < top.items.size(); i += 2) {
    const PickleValue& key = pickle[top.items[i]];
    const PickleValue& value = pickle[top.items[i + 1]];
    if (key.kind != PickleKind::Text) continue;
    if (const std::optional<std::string> text = scalar_text(value))
      metadata.insert_or_assign(std::string(key.text), *text);
    if (key.text != "hyper_parameters" || value.kind != PickleKind::Dict) continue;
    walk.scalars.clear();
    CH_CHECK(walk.go(value, "hyper_parameters"));
    metadata.merge(walk.scalars);
  }
  return {};
}

/// Whether a tensor is anywhere inside; false when that is not found within a number of steps.
bool holds_tensors(const Pickle& pickle, const PickleValue& value, std::size_t& steps,
                   int depth = 0) {
  if (++steps > 10'000 || depth > 100) return false;
  if (is_tensor(pickle, value)) return true;
  if (value.kind != PickleKind::Dict && value.kind != PickleKind::List &&
      value.kind != PickleKind::Tuple)
    return false;
  return std::any_of(value.items.begin(), value.items.end(), [&](PickleId id) {
    return holds_tensors(pickle, pickle[id], steps, depth + 1);
  });
}

}  // namespace

std::span<const std::string_view> weight_prefixes() {
  return kPrefixes;
}

std::string common_prefix(std::span<const std::string> names) {
  std::string prefix;
  while (!names.empty()) {
    const auto everywhere = [&](std::string_view more) {
      const std::string longer = cat(prefix, more);
      return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        return name.size() > longer.size() && name.starts_with(longer);
      });
    };
    const auto* found = std::find_if(kPrefixes.begin(), kPrefixes.end(), everywhere);
    if (found == kPrefixes.end()) break;
    prefix += *found;
  }
  return prefix;
}

Result<StateDict> find_state_dict(const Pickle& pickle, const TorchStorages& storages,
                                  std::string_view file) {
  const PickleValue& top = pickle.top();
  StateDict found;
  found.section = section_of(pickle, top);
  found.lightning =
      pickle.find(top, "pytorch-lightning_version") != nullptr && found.section == "state_dict";
  Walk walk(pickle, storages, file);
  CH_CHECK(walk.go(found.section.empty() ? top : *pickle.find(top, found.section), ""));
  found.tensors = std::move(walk.tensors);
  found.metadata = std::move(walk.scalars);
  if (found.section.empty()) return found;
  CH_CHECK(take_metadata(walk, pickle, top, found.metadata));
  for (std::size_t i = 0; i + 1 < top.items.size(); i += 2) {
    const PickleValue& key = pickle[top.items[i]];
    std::size_t steps = 0;
    if (key.kind == PickleKind::Text && key.text != found.section &&
        holds_tensors(pickle, pickle[top.items[i + 1]], steps))
      found.left.push_back(shown_in_message(key.text));
  }
  return found;
}

}  // namespace chop::io

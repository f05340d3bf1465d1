#include "io/torch/torch_checkpoint.hpp"

#include "io/archives/zip_archive.hpp"
#include "io/tensor_bytes.hpp"
#include "io/torch/state_dict.hpp"
#include "io/torch/torch_allow_list.hpp"
#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop::io {
namespace {

/// torch.save stores without compression; compressing afterwards saves little.
constexpr ZipLimits kLimits = {.expansion = 16, .free_bytes = std::uint64_t{64} << 20};
/// A tensor may repeat elements (stride 0) and share them, but not without end.
constexpr std::size_t kMostCopies = 16;
constexpr std::size_t kFreeBytes = std::size_t{64} << 20;
/// 0x1950a86a20f9469cfc6c, lowest byte first: the number old streams begin with.
constexpr std::string_view kMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
constexpr std::int64_t kStreamVersion = 1001;

Error not_torch(std::string_view name, const std::string& reason) {
  return Error{
      .what = cat("'", name, "' is not a readable PyTorch checkpoint: ", reason),
      .hint = "torch.save(model.state_dict(), 'weights.pt') writes files that can be read"};
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace

/// The file behind a checkpoint: gives the bytes of its storages.
class TorchCheckpoint::Bytes {
 public:
  Bytes() = default;
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  virtual ~Bytes() = default;
  /// Valid until the next call.
  virtual Result<std::span<const std::byte>> storage(const std::string& key) = 0;

  MappedFile file = {};  ///< kept open; empty when the caller keeps the bytes
};

class TorchCheckpoint::ZipBytes : public Bytes {
 public:
  explicit ZipBytes(ZipArchive archive) : archive_(std::move(archive)) {}

  const ZipArchive& archive() const { return archive_; }
  std::string root = {};  ///< "archive/"

  /// Checks the bytes of a storage against what the pickle says about it.
  Status check(const TorchStorages& storages, std::string_view name) const {
    for (const auto& [key, storage] : storages) {
      const ZipEntry* found = archive_.find(cat(root, "data/", key));
      const std::uint64_t there = found == nullptr ? 0 : found->size;
      if (found == nullptr && storage.bytes > 0)
        return not_torch(name, cat("it has no storage '", shown_in_message(key), "'"));
      if (there < storage.bytes)
        return not_torch(name, cat("storage '", shown_in_message(key), "' should have ",
                                   storage.bytes, " bytes and has ", there));
    }
    return {};
  }

  Result<std::span<const std::byte>> storage(const std::string& key) override {
    if (key == kept_key_) return bytes_of(kept_);
    const ZipEntry* entry = archive_.find(cat(root, "data/", key));
    if (entry == nullptr) return std::span<const std::byte>();
    CH_TRY(kept_, archive_.read(*entry));
    kept_key_ = key;
    return bytes_of(kept_);
  }

 private:
  ZipArchive archive_;
  std::optional<std::string> kept_key_;  ///< the storage read last
  std::string kept_;
};

class TorchCheckpoint::StreamBytes : public Bytes {
 public:
  std::map<std::string, std::span<const std::byte>> storages;

  Result<std::span<const std::byte>> storage(const std::string& key) override {
    return storages[key];
  }
};

// ---------------------------------------------------------------------------------- zip

namespace {

/// The folder of the archive that holds data.pkl, with its slash.
Result<std::string> root_of(const ZipArchive& archive, std::string_view name) {
  constexpr std::string_view kPickle = "data.pkl";
  for (const ZipEntry& entry : archive.entries()) {
    const std::size_t slash = entry.name.find('/');
    if (slash == std::string::npos || entry.name.substr(slash + 1) != kPickle) continue;
    std::string root = entry.name.substr(0, slash + 1);
    for (const ZipEntry& other : archive.entries())
      if (other.name.starts_with(root + "code/") || other.name == root + "constants.pkl")
        return Error{.what = cat("'", name, "' is a TorchScript program, not a checkpoint"),
                     .hint =
                         "torch.save(torch.jit.load(FILE).state_dict(), 'weights.pt') takes its "
                         "weights out"};
    return root;
  }
  const bool numpy = std::any_of(archive.entries().begin(), archive.entries().end(),
                                 [](const ZipEntry& e) { return e.name.ends_with(".npy"); });
  return not_torch(name, numpy ? "it is a .npz file of arrays" : "the archive has no data.pkl");
}

}  // namespace

Result<TorchCheckpoint> TorchCheckpoint::from_zip(std::span<const std::byte> bytes,
                                                  std::string_view name) {
  CH_TRY(ZipArchive archive, ZipArchive::parse(bytes, name, kLimits));
  auto zip = std::make_shared<ZipBytes>(std::move(archive));
  CH_TRY(zip->root, root_of(zip->archive(), name));
  if (const ZipEntry* order = zip->archive().find(zip->root + "byteorder")) {
    CH_TRY(const std::string text, zip->archive().read(*order));
    if (trim(text) != "little")
      return not_torch(name, cat("its byte order is '", shown_in_message(text), "', not little"));
  }
  CH_TRY(const std::string text, zip->archive().read(*zip->archive().find(zip->root + "data.pkl")));
  CH_TRY(const Pickle pickle, read_pickle(bytes_of(text), name, is_torch_name));
  CH_TRY(const TorchStorages storages, find_storages(pickle, name));
  CH_CHECK(zip->check(storages, name));
  TorchCheckpoint checkpoint;
  checkpoint.name_ = name;
  checkpoint.bytes_ = std::move(zip);
  CH_CHECK(checkpoint.take(pickle, storages, bytes.size()));
  return checkpoint;
}

// ------------------------------------------------------------------------------- stream

namespace {

/// Reads one pickle after another.
struct StreamReader {
  std::span<const std::byte> left;
  std::string_view name;

  Result<Pickle> next() {
    CH_TRY(Pickle pickle, read_pickle(left, name, is_torch_name));
    left = left.subspan(pickle.size);
    return pickle;
  }
};

/// The three pickles at the start: a magic number, a version, the byte order and sizes of the
/// machine.
Status check_front(StreamReader& stream) {
  CH_TRY(const Pickle magic, stream.next());
  if (magic.top().kind != PickleKind::LongInt || magic.top().text != kMagic)
    return not_torch(stream.name, "it is a pickle, but not one that torch.save wrote");
  CH_TRY(const Pickle version, stream.next());
  if (version.top().kind != PickleKind::Int || version.top().integer != kStreamVersion)
    return not_torch(stream.name, "its stream is not of version 1001");
  CH_TRY(const Pickle machine, stream.next());
  const PickleValue* little = machine.find(machine.top(), "little_endian");
  if (little == nullptr || little->kind != PickleKind::Bool || little->integer != 1)
    return not_torch(stream.name, "it was not written by a little-endian machine");
  return {};
}

}  // namespace

Result<TorchCheckpoint> TorchCheckpoint::from_stream(std::span<const std::byte> bytes,
                                                     std::string_view name) {
  StreamReader stream{.left = bytes, .name = name};
  CH_CHECK(check_front(stream));
  CH_TRY(const Pickle pickle, stream.next());
  CH_TRY(const TorchStorages storages, find_storages(pickle, name));
  CH_TRY(const Pickle keys, stream.next());
  auto found = std::make_shared<StreamBytes>();
  if (keys.top().kind != PickleKind::List)
    return not_torch(name, "its list of storages is no list");
  for (const PickleId id : keys.top().items) {
    const std::string key(keys[id].text);
    const auto storage = storages.find(key);
    if (keys[id].kind != PickleKind::Text || storage == storages.end() ||
        found->storages.contains(key))
      return not_torch(name, cat("it lists a storage '", shown_in_message(key),
                                 "' that no tensor has, or twice"));
    const std::size_t size = storage->second.bytes;
    if (stream.left.size() < 8 || stream.left.size() - 8 < size)
      return not_torch(name, cat("storage '", shown_in_message(key), "' should have ", size,
                                 " bytes and ends after ", stream.left.size()));
    const std::uint64_t elements = little_endian(stream.left, 8);
    if (elements != size / size_of(storage->second.dtype))
      return not_torch(name, cat("storage '", shown_in_message(key), "' has ", elements,
                                 " elements in one place and ",
                                 size / size_of(storage->second.dtype), " in another"));
    found->storages.emplace(key, stream.left.subspan(8, size));
    stream.left = stream.left.subspan(8 + size);
  }
  for (const auto& [key, storage] : storages)
    if (!found->storages.contains(key))
      return not_torch(name, cat("it has no storage '", shown_in_message(key), "'"));
  TorchCheckpoint checkpoint;
  checkpoint.name_ = name;
  checkpoint.bytes_ = std::move(found);
  CH_CHECK(checkpoint.take(pickle, storages, bytes.size()));
  return checkpoint;
}

// --------------------------------------------------------------------------------- both

Status TorchCheckpoint::take(const Pickle& pickle, const TorchStorages& storages,
                             std::size_t file_bytes) {
  CH_TRY(StateDict found, find_state_dict(pickle, storages, name_));
  std::vector<std::string> names;
  std::size_t total = 0;
  const std::size_t most = std::max(kFreeBytes, kMostCopies * file_bytes);
  for (const TorchTensor& tensor : found.tensors) {
    names.push_back(tensor.name);
    if (tensor.bytes() > most || (total += tensor.bytes()) > most)
      return not_torch(name_, cat("its tensors repeat their elements up to more than ", most,
                                  " bytes, and the file has ", file_bytes));
  }
  prefix_ = common_prefix(names);
  for (TorchTensor& tensor : found.tensors) tensor.name.erase(0, prefix_.size());
  if (!found.section.empty()) notes_.push_back(cat("its '", found.section, "' is taken"));
  if (!found.left.empty()) notes_.push_back(cat("tensors not taken: ", join(found.left, ", ")));
  if (!prefix_.empty())
    notes_.push_back(cat("every name began with '", prefix_, "', which is left out"));
  tensors_ = std::move(found.tensors);
  metadata_ = std::move(found.metadata);
  lightning_ = found.lightning;
  return {};
}

bool TorchCheckpoint::looks_like_one(std::span<const std::byte> bytes) {
  const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(bytes[i]); };
  if (bytes.size() < 4) return false;
  // No pickle has a zero behind its version; the length in front of a safetensors file does.
  return (at(0) == 'P' && at(1) == 'K') || (at(0) == 0x80 && at(1) <= 5 && at(2) != 0);
}

Result<TorchCheckpoint> TorchCheckpoint::parse(std::span<const std::byte> bytes,
                                               std::string_view name) {
  if (!looks_like_one(bytes)) return not_torch(name, "it is neither a zip archive nor a pickle");
  if (bytes[0] == std::byte{'P'}) return from_zip(bytes, name);
  return from_stream(bytes, name);
}

Result<TorchCheckpoint> TorchCheckpoint::of(MappedFile file) {
  CH_TRY(TorchCheckpoint checkpoint, parse(file.bytes(), file.path().string()));
  checkpoint.bytes_->file = std::move(file);
  return checkpoint;
}

Result<Tensor> TorchCheckpoint::read(const TorchTensor& tensor) const {
  if (tensor.bytes() == 0) return Tensor(tensor.dtype, tensor.shape);
  CH_TRY(const std::span<const std::byte> storage, bytes_->storage(tensor.storage));
  return copy_view(tensor, storage);
}

}  // namespace chop::io

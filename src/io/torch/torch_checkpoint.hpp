// Checkpoints of torch.save(): zip archives, and the streams PyTorch wrote before 1.6.
//
// Nothing in them is run: the pickle inside is read as data (io/torch/pickle.hpp), names beyond
// tensors and plain values are refused, and every extent is checked against the file.
#pragma once

#include <filesystem>

#include "io/torch/torch_values.hpp"
#include "support/system/files.hpp"

namespace chop::io {

class TorchCheckpoint {
 public:
  static Result<TorchCheckpoint> of(MappedFile file);
  /// Of bytes the caller keeps alive; `name` is the file's name in messages.
  static Result<TorchCheckpoint> parse(std::span<const std::byte> bytes, std::string_view name);
  /// Whether a file that begins so can be one at all.
  static bool looks_like_one(std::span<const std::byte> bytes);

  /// In the order of the file, `prefix()` taken off their names.
  const std::vector<TorchTensor>& tensors() const { return tensors_; }
  /// Numbers and texts beside the tensors: epoch, global_step, ...
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  bool is_lightning() const { return lightning_; }
  /// The prefix that was taken off every name: "model.", "module."; usually empty.
  const std::string& prefix() const { return prefix_; }
  /// Notes for the user: which part was taken, which parts were left.
  const std::vector<std::string>& notes() const { return notes_; }

  /// The elements, row by row, in their own dtype. Not for several threads at once.
  Result<Tensor> read(const TorchTensor& tensor) const;

 private:
  class Bytes;
  class ZipBytes;
  class StreamBytes;

  static Result<TorchCheckpoint> from_zip(std::span<const std::byte> bytes, std::string_view name);
  static Result<TorchCheckpoint> from_stream(std::span<const std::byte> bytes,
                                             std::string_view name);
  Status take(const Pickle& pickle, const TorchStorages& storages, std::size_t file_bytes);

  std::string name_;
  std::shared_ptr<Bytes> bytes_;
  std::vector<TorchTensor> tensors_;
  std::map<std::string, std::string> metadata_;
  std::vector<std::string> notes_;
  std::string prefix_;
  bool lightning_ = false;
};

}  // namespace chop::io

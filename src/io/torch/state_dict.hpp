// The state dict of a PyTorch checkpoint: which part of the file it is, what its tensors are
// called, and which prefixes wrappers such as Lightning's put before every name.
#pragma once

#include "io/torch/torch_values.hpp"

namespace chop::io {

/// What Lightning, DataParallel and torch.compile put before names.
std::span<const std::string_view> weight_prefixes();
/// "model." when every name begins with it; "model.module." and so on where they are nested.
/// Empty when there is none, or nothing would be left of a name.
std::string common_prefix(std::span<const std::string> names);

struct StateDict {
  std::vector<TorchTensor> tensors = {};
  std::map<std::string, std::string> metadata = {};  ///< numbers and texts beside the tensors
  std::string section = {};                          ///< the key it was found under; may be empty
  std::vector<std::string> left = {};                ///< other parts of the file that hold tensors
  bool lightning = false;
};

/// The state dict in a checkpoint: what is under "state_dict", "model_state_dict", "model" and
/// the like, else everything. Names of nested dicts are joined by dots.
Result<StateDict> find_state_dict(const Pickle& pickle, const TorchStorages& storages,
                                  std::string_view file);

}  // namespace chop::io

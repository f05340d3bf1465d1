// links: ch_io
// Whatever bytes arrive, the reader answers with tensors or an Error: it never crashes, and
// what it lists it can read, with the shape it listed.
#include <cstddef>
#include <cstdlib>

#include "io/torch/torch_checkpoint.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const auto checkpoint = chop::TorchCheckpoint::parse({bytes, size}, "fuzz");
  if (!checkpoint) return checkpoint.error().what.empty() ? (std::abort(), 0) : 0;
  std::size_t left = std::size_t{16} << 20;  // a fuzzer's patience, not a limit of the reader
  for (const chop::TorchTensor& tensor : checkpoint.value().tensors()) {
    if (tensor.bytes() > left) break;
    left -= tensor.bytes();
    const auto value = checkpoint.value().read(tensor);
    if (value && value.value().type() != chop::TensorType{tensor.dtype, tensor.shape}) std::abort();
  }
  return 0;
}

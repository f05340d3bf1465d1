#include "io/torch/torch_allow_list.hpp"

namespace chop::io {
namespace {

constexpr std::array<std::pair<std::string_view, DType>, 10> kStorages = {{
    {"torch.FloatStorage", DType::F32},
    {"torch.DoubleStorage", DType::F64},
    {"torch.HalfStorage", DType::F16},
    {"torch.BFloat16Storage", DType::BF16},
    {"torch.LongStorage", DType::I64},
    {"torch.IntStorage", DType::I32},
    {"torch.ShortStorage", DType::I16},
    {"torch.CharStorage", DType::I8},
    {"torch.ByteStorage", DType::U8},
    {"torch.BoolStorage", DType::Bool},
}};

constexpr std::array<std::pair<std::string_view, DType>, 13> kDTypes = {{
    {"torch.float32", DType::F32},
    {"torch.float64", DType::F64},
    {"torch.float16", DType::F16},
    {"torch.bfloat16", DType::BF16},
    {"torch.int64", DType::I64},
    {"torch.int32", DType::I32},
    {"torch.int16", DType::I16},
    {"torch.int8", DType::I8},
    {"torch.uint64", DType::U64},
    {"torch.uint32", DType::U32},
    {"torch.uint16", DType::U16},
    {"torch.uint8", DType::U8},
    {"torch.bool", DType::Bool},
}};

constexpr std::array<std::string_view, 3> kUntyped = {
    "torch.UntypedStorage", "torch.storage.UntypedStorage", "torch.storage._UntypedStorage"};

constexpr std::array<std::string_view, 3> kTensors = {"torch._utils._rebuild_tensor",
                                                      "torch._utils._rebuild_tensor_v2",
                                                      "torch._utils._rebuild_tensor_v3"};
constexpr std::array<std::string_view, 2> kParameters = {
    "torch._utils._rebuild_parameter", "torch._utils._rebuild_parameter_with_state"};

/// Plain data, kept as it is: containers, sizes, devices, numbers of numpy, types as values.
constexpr std::array<std::string_view, 33> kPlain = {"collections.OrderedDict",
                                                     "collections.defaultdict",
                                                     "collections.Counter",
                                                     "torch.Size",
                                                     "torch.device",
                                                     "torch.complex64",
                                                     "torch.complex128",
                                                     "_codecs.encode",
                                                     "numpy.dtype",
                                                     "numpy.core.multiarray.scalar",
                                                     "numpy._core.multiarray.scalar",
                                                     "builtins.set",
                                                     "builtins.frozenset",
                                                     "builtins.dict",
                                                     "builtins.list",
                                                     "builtins.tuple",
                                                     "builtins.int",
                                                     "builtins.float",
                                                     "builtins.bool",
                                                     "builtins.str",
                                                     "builtins.bytes",
                                                     "builtins.complex",
                                                     "__builtin__.set",
                                                     "__builtin__.frozenset",
                                                     "__builtin__.dict",
                                                     "__builtin__.list",
                                                     "__builtin__.tuple",
                                                     "__builtin__.int",
                                                     "__builtin__.float",
                                                     "__builtin__.bool",
                                                     "__builtin__.str",
                                                     "__builtin__.bytes",
                                                     "__builtin__.complex"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <std::size_t N>
std::optional<DType> lookup(const std::array<std::pair<std::string_view, DType>, N>& table,
                            std::string_view name) {
  for (const auto& [known, dtype] : table)
    if (known == name) return dtype;
  return std::nullopt;
}

}  // namespace

bool is_torch_name(std::string_view module, std::string_view name) {
  const std::string full = cat(module, ".", name);
  return lookup(kStorages, full) || lookup(kDTypes, full) || contains(kUntyped, full) ||
         contains(kTensors, full) || contains(kParameters, full) || contains(kPlain, full);
}

std::optional<DType> storage_dtype(std::string_view name) {
  return lookup(kStorages, name);
}

bool is_untyped_storage(std::string_view name) {
  return contains(kUntyped, name);
}

std::optional<DType> torch_dtype(std::string_view name) {
  return lookup(kDTypes, name);
}

bool makes_tensor(std::string_view name) {
  return contains(kTensors, name);
}

bool makes_parameter(std::string_view name) {
  return contains(kParameters, name);
}

}  // namespace chop::io

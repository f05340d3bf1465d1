// Reads storages and tensors from the values of a pickle; every view is checked against the extent
// of its storage before its elements are copied.
#include "io/torch/torch_values.hpp"

#include <cstring>

#include "io/tensor_bytes.hpp"
#include "io/torch/torch_allow_list.hpp"
#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop::io {
namespace {

constexpr std::size_t kHighestRank = 64;

/// The tuple of a persistent id: 'storage', type, key, location, elements, view.
struct StorageId {
  std::string_view key;
  DType dtype = DType::U8;
  bool typed = true;
  std::int64_t elements = 0;
  std::int64_t view_offset = 0;
};

std::optional<StorageId> storage_id(const Pickle& pickle, const PickleValue& value) {
  if (value.kind != PickleKind::Persistent) return std::nullopt;
  const PickleValue& tuple = pickle[value.items[0]];
  if (tuple.kind != PickleKind::Tuple || tuple.items.size() < 5) return std::nullopt;
  const auto item = [&](std::size_t i) -> const PickleValue& { return pickle[tuple.items[i]]; };
  if (item(0).kind != PickleKind::Text || item(0).text != "storage" ||
      item(1).kind != PickleKind::Name || item(2).kind != PickleKind::Text ||
      item(4).kind != PickleKind::Int || item(4).integer < 0)
    return std::nullopt;
  StorageId id{.key = item(2).text, .elements = item(4).integer};
  if (const std::optional<DType> dtype = storage_dtype(item(1).text))
    id.dtype = *dtype;
  else if (is_untyped_storage(item(1).text))
    id.typed = false;
  else
    return std::nullopt;
  // In old files a storage may itself be a view of another: key, offset, size.
  if (tuple.items.size() > 5 && item(5).kind == PickleKind::Tuple) {
    const PickleValue& view = item(5);
    if (view.items.size() != 3 || pickle[view.items[1]].kind != PickleKind::Int)
      return std::nullopt;
    id.view_offset = pickle[view.items[1]].integer;
  }
  return id;
}

/// A tuple, list or torch.Size of whole numbers.
std::optional<Shape> whole_numbers(const Pickle& pickle, const PickleValue& value) {
  const PickleValue* list = &value;
  if (value.kind == PickleKind::Call && pickle[value.items[0]].text == "torch.Size") {
    const PickleValue& arguments = pickle[value.items[1]];
    if (arguments.items.size() != 1) return std::nullopt;
    list = &pickle[arguments.items[0]];
  }
  if (list->kind != PickleKind::Tuple && list->kind != PickleKind::List) return std::nullopt;
  if (list->items.size() > kHighestRank) return std::nullopt;
  Shape numbers;
  for (const PickleId id : list->items) {
    if (pickle[id].kind != PickleKind::Int || pickle[id].integer < 0) return std::nullopt;
    numbers.push_back(pickle[id].integer);
  }
  return numbers;
}

Error bad_tensor(const std::string& reason) {
  return Error{.what = reason,
               .hint = "the file is damaged or was not written by torch.save; write it again"};
}

/// One past the last element a view reaches, or nothing when that overflows.
std::optional<std::int64_t> end_of(const TorchTensor& view) {
  std::int64_t end = view.offset;
  for (std::size_t i = 0; i < view.shape.size(); ++i) {
    if (view.shape[i] == 0) return view.offset;
    std::int64_t step = 0;
    if (__builtin_mul_overflow(view.shape[i] - 1, view.strides[i], &step) ||
        __builtin_add_overflow(end, step, &end))
      return std::nullopt;
  }
  if (__builtin_add_overflow(end, 1, &end)) return std::nullopt;
  return end;
}

Status check_extent(const TorchTensor& view, const TorchStorage& storage) {
  if (!checked_bytes(view.dtype, view.shape))
    return bad_tensor(cat("shape ", to_string(view.shape), " is larger than any file"));
  const std::optional<std::int64_t> end = end_of(view);
  const auto elements = static_cast<std::int64_t>(storage.bytes / size_of(view.dtype));
  if (!end || *end > elements)
    return bad_tensor(cat("shape ", to_string(view.shape), " with strides ",
                          to_string(view.strides), " and offset ", view.offset, " leaves the ",
                          elements, " elements of storage '", shown_in_message(view.storage), "'"));
  return {};
}

template <std::size_t Size>
void copy_elements(const TorchTensor& view, const std::byte* from, std::byte* to) {
  const std::size_t rank = view.shape.size();
  std::vector<std::int64_t> index(rank, 0);
  std::int64_t at = view.offset;
  const std::int64_t count = numel(view.shape);
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(to, from + static_cast<std::size_t>(at) * Size, Size);
    to += Size;
    for (std::size_t axis = rank; axis-- > 0;) {
      at += view.strides[axis];
      if (++index[axis] < view.shape[axis]) break;
      at -= view.strides[axis] * view.shape[axis];
      index[axis] = 0;
    }
  }
}

bool is_row_major(const TorchTensor& view) {
  std::int64_t step = 1;
  for (std::size_t axis = view.shape.size(); axis-- > 0;) {
    if (view.shape[axis] != 1 && view.strides[axis] != step) return false;
    step *= view.shape[axis];
  }
  return true;
}

}  // namespace

Result<TorchStorages> find_storages(const Pickle& pickle, std::string_view file) {
  TorchStorages storages;
  for (const PickleValue& value : pickle.values) {
    if (value.kind != PickleKind::Persistent) continue;
    const std::optional<StorageId> id = storage_id(pickle, value);
    if (!id)
      return Error{.what = cat("'", file, "' refers to something that is not a storage of numbers"),
                   .hint = "checkpoints written by torch.save refer to storages alone"};
    const std::optional<std::size_t> bytes = checked_bytes(id->dtype, {id->elements});
    if (!bytes)
      return Error{.what = cat("'", file, "': storage '", shown_in_message(id->key), "' claims ",
                               id->elements, " elements")};
    const TorchStorage storage{.dtype = id->dtype, .typed = id->typed, .bytes = *bytes};
    const auto [found, added] = storages.emplace(id->key, storage);
    if (!added && (found->second.bytes != *bytes || found->second.dtype != id->dtype))
      return Error{.what = cat("'", file, "': storage '", shown_in_message(id->key),
                               "' is described in two ways")};
  }
  return storages;
}

bool is_tensor(const Pickle& pickle, const PickleValue& value) {
  if (value.kind != PickleKind::Call) return false;
  const std::string_view name = pickle[value.items[0]].text;
  return makes_tensor(name) || makes_parameter(name);
}

Result<TorchTensor> tensor_of(const Pickle& pickle, const PickleValue& value,
                              const TorchStorages& storages) {
  const PickleValue* call = &value;
  // A parameter holds a tensor, which a file could claim to hold a parameter, and so on.
  for (int wraps = 0; makes_parameter(pickle[call->items[0]].text); ++wraps) {
    const PickleValue& arguments = pickle[call->items[1]];
    if (arguments.items.empty() || wraps > 2 || !is_tensor(pickle, pickle[arguments.items[0]]))
      return bad_tensor("a parameter holds no tensor");
    call = &pickle[arguments.items[0]];
  }
  const PickleValue& arguments = pickle[call->items[1]];
  if (arguments.items.size() < 4) return bad_tensor("a tensor has too few arguments");
  const auto argument = [&](std::size_t i) -> const PickleValue& {
    return pickle[arguments.items[i]];
  };
  const std::optional<StorageId> id = storage_id(pickle, argument(0));
  if (!id) return bad_tensor("a tensor has no storage");
  const std::optional<Shape> shape = whole_numbers(pickle, argument(2));
  const std::optional<Shape> strides = whole_numbers(pickle, argument(3));
  if (!shape || !strides || shape->size() != strides->size())
    return bad_tensor("the shape and strides of a tensor are not whole numbers of one rank");
  TorchTensor view{
      .dtype = id->dtype, .shape = *shape, .strides = *strides, .storage = std::string(id->key)};
  // The stride of a dimension of size one is never used and may be anything.
  for (std::size_t i = 0; i < view.shape.size(); ++i)
    if (view.shape[i] == 1) view.strides[i] = 0;
  if (argument(1).kind != PickleKind::Int || argument(1).integer < 0 || id->view_offset < 0 ||
      __builtin_add_overflow(argument(1).integer, id->view_offset, &view.offset))
    return bad_tensor("the offset of a tensor is not a whole number");
  if (arguments.items.size() > 6 && argument(6).kind == PickleKind::Name) {
    const std::optional<DType> dtype = torch_dtype(argument(6).text);
    if (!dtype) return bad_tensor(cat("tensors of ", argument(6).text, " are not read"));
    view.dtype = *dtype;
  } else if (!id->typed) {
    return bad_tensor("a tensor of an untyped storage has no dtype");
  }
  const auto storage = storages.find(id->key);
  assert(storage != storages.end() && "find_storages() went over every value");
  CH_CHECK(check_extent(view, storage->second));
  return view;
}

std::optional<std::string> scalar_text(const PickleValue& value) {
  constexpr std::size_t kLongest = 4096;
  switch (value.kind) {
    case PickleKind::Bool:
      return value.integer != 0 ? "True" : "False";
    case PickleKind::Int:
      return std::to_string(value.integer);
    case PickleKind::Real:
      return python_repr(value.real);
    case PickleKind::Text:
      if (value.text.size() > kLongest) return std::nullopt;
      return std::string(value.text);
    default:
      return std::nullopt;
  }
}

Tensor copy_view(const TorchTensor& view, std::span<const std::byte> storage) {
  const std::size_t size = size_of(view.dtype);
  const std::size_t bytes = view.bytes();
  if (bytes == 0) return Tensor(view.dtype, view.shape);
  if (is_row_major(view))
    return tensor_from_bytes(view.dtype, view.shape,
                             storage.subspan(static_cast<std::size_t>(view.offset) * size, bytes));
  std::vector<std::byte> rows(bytes);
  if (size == 1) copy_elements<1>(view, storage.data(), rows.data());
  if (size == 2) copy_elements<2>(view, storage.data(), rows.data());
  if (size == 4) copy_elements<4>(view, storage.data(), rows.data());
  if (size == 8) copy_elements<8>(view, storage.data(), rows.data());
  return tensor_from_bytes(view.dtype, view.shape, rows);
}

}  // namespace chop::io

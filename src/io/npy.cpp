// Reads the header (a Python dictionary), checks its extent against the file, and copies the array,
// from Fortran order into C order where need be.
#include "io/npy.hpp"

#include <cstring>

#include "io/tensor_bytes.hpp"
#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::io {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Descr {
  std::string_view text;
  DType dtype;
};
constexpr std::array<Descr, 12> kDescrs = {{{"<f4", DType::F32},
                                            {"<f8", DType::F64},
                                            {"<f2", DType::F16},
                                            {"<i8", DType::I64},
                                            {"<i4", DType::I32},
                                            {"<i2", DType::I16},
                                            {"|i1", DType::I8},
                                            {"<u8", DType::U64},
                                            {"<u4", DType::U32},
                                            {"<u2", DType::U16},
                                            {"|u1", DType::U8},
                                            {"|b1", DType::Bool}}};

struct Header {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

/// Reads the Python dictionary of the header; only the literals numpy writes there.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  std::optional<Header> read() {
    Header header;
    unsigned seen = 0;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      const std::optional<std::string> key = string();
      if (!key || !take(':')) return std::nullopt;
      const unsigned bit = *key == "descr" ? 1U : *key == "fortran_order" ? 2U : 4U;
      if ((bit == 4 && *key != "shape") || (seen & bit) != 0) return std::nullopt;
      if (!value(bit, header)) return std::nullopt;
      seen |= bit;
      if (!take(',') && !peek('}')) return std::nullopt;
    }
    skip_space();
    if (seen != 7 || at_ != text_.size()) return std::nullopt;
    return header;
  }

 private:
  bool value(unsigned bit, Header& header) {
    if (bit == 4) return tuple(header.shape);
    if (bit == 2) {
      header.fortran_order = word("True");
      return header.fortran_order || word("False");
    }
    const std::optional<std::string> descr = string();
    // A structured dtype is a list here: kept as text for the message.
    header.descr = descr.value_or("a structured type");
    if (!descr) at_ = std::min(text_.find(']', at_), text_.size() - 1) + 1;
    return true;
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool peek(char wanted) {
    skip_space();
    return at_ < text_.size() && text_[at_] == wanted;
  }
  bool take(char wanted) {
    if (!peek(wanted)) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view wanted) {
    skip_space();
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  std::optional<std::string> string() {
    const char quote = peek('"') ? '"' : '\'';
    if (!take(quote)) return std::nullopt;
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) return std::nullopt;
    std::string result(text_.substr(at_, end - at_));
    at_ = end + 1;
    return result;
  }
  bool tuple(Shape& shape) {
    if (!take('(')) return false;
    while (!take(')')) {
      skip_space();
      const std::size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
      const std::optional<std::int64_t> dim = parse_int(text_.substr(at_, end - at_));
      if (!dim) return false;
      shape.push_back(*dim);
      at_ = end;
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote 3L
      if (!take(',') && !peek(')')) return false;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

Error broken_npy(std::string_view name, const std::string& reason) {
  return Error{.what = cat("'", name, "' is not a readable .npy file: ", reason),
               .hint = "numpy.save('x.npy', array) writes files that can be read"};
}

Result<DType> dtype_of(std::string_view descr, std::string_view name) {
  for (const Descr& known : kDescrs) {
    const bool one_byte = known.text.front() == '|' && !descr.empty();
    if (descr == known.text || (one_byte && descr.substr(1) == known.text.substr(1)))
      return known.dtype;
  }
  Error error{.what = cat("'", name, "' holds an array of unsupported type '", descr, "'")};
  if (descr.starts_with('>')) {
    error.hint = cat("it is big-endian; save array.astype('<", descr.substr(1), "')");
  } else if (descr.find('O') != std::string_view::npos) {
    error.hint = "pickled Python objects are never loaded; save a plain numeric array";
  } else {
    error.hint = "save it as float32, float64, float16, int64, int32, int16, int8, uint8 or bool";
  }
  return error;
}

/// The elements of a Fortran-ordered array in C order.
Tensor from_fortran_order(const Tensor& stored) {
  const Shape& shape = stored.shape();
  Tensor result(stored.dtype(), shape);
  const std::size_t size = size_of(stored.dtype());
  const std::byte* from = stored.bytes();
  std::byte* to = result.mutable_bytes();
  std::vector<std::int64_t> at(shape.size(), 0);
  for (std::int64_t i = 0; i < stored.size(); ++i) {
    std::int64_t source = 0;
    for (std::size_t k = shape.size(); k-- > 0;) source = source * shape[k] + at[k];
    std::memcpy(to + static_cast<std::size_t>(i) * size,
                from + static_cast<std::size_t>(source) * size, size);
    for (std::size_t k = shape.size(); k-- > 0;) {
      if (++at[k] < shape[k]) break;
      at[k] = 0;
    }
  }
  return result;
}

struct HeaderText {
  std::string_view text;
  std::size_t end;  ///< where the data begins
};

Result<HeaderText> header_text(std::span<const std::byte> bytes, std::string_view name) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!all.starts_with(kMagic)) return broken_npy(name, "it does not begin with \\x93NUMPY");
  if (bytes.size() < 10) return broken_npy(name, "it ends inside the header");
  const int version = std::to_integer<int>(bytes[6]);
  if (version < 1 || version > 3)
    return broken_npy(name, cat("its format version is ", version, ", known are 1, 2 and 3"));
  const std::size_t width = version == 1 ? 2 : 4;
  if (bytes.size() < 8 + width) return broken_npy(name, "it ends inside the header");
  const std::size_t length = little_endian(bytes.subspan(8), width);
  if (length > bytes.size() - 8 - width)
    return broken_npy(name, cat("its header claims ", length, " bytes, but only ",
                                bytes.size() - 8 - width, " follow"));
  return HeaderText{all.substr(8 + width, length), 8 + width + length};
}

/// Where the array lies in its file, and the part of it that is asked for.
struct Extent {
  Header header;  ///< its shape is that of the part
  DType dtype = DType::F32;
  std::size_t begin = 0;
  std::size_t bytes = 0;  ///< of the part
};

/// From the first bytes of a file of `size` bytes.
Result<Extent> extent_of(std::span<const std::byte> first, std::size_t size, std::string_view name,
                         std::int64_t rows) {
  CH_TRY(const HeaderText text, header_text(first, name));
  std::optional<Header> header = HeaderReader(text.text).read();
  if (!header)
    return broken_npy(name, "its header is not a dictionary of descr, fortran_order, shape");
  CH_TRY(const DType dtype, dtype_of(header->descr, name));
  const std::optional<std::size_t> all = checked_bytes(dtype, header->shape);
  if (!all || *all != size - text.end)
    return broken_npy(
        name, cat("its header says shape ", to_string(header->shape), " of ", name_of(dtype),
                  ", but ", size - text.end, " bytes of data follow"));
  Extent extent{.header = *std::move(header), .dtype = dtype, .begin = text.end, .bytes = *all};
  Shape& shape = extent.header.shape;
  if (rows > 0 && shape.size() > 1 && shape[0] > rows && !extent.header.fortran_order &&
      numel(shape) > shape[0]) {
    extent.bytes = *all / static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(rows);
    shape[0] = rows;
  }
  return extent;
}

Tensor array_in(const Extent& extent, std::span<const std::byte> file) {
  Tensor tensor = tensor_from_bytes(extent.dtype, extent.header.shape,
                                    file.subspan(extent.begin, extent.bytes));
  if (extent.header.fortran_order && tensor.rank() > 1) return from_fortran_order(tensor);
  return tensor;
}

}  // namespace

Result<Tensor> parse_npy(std::span<const std::byte> bytes, std::string_view name,
                         std::int64_t rows) {
  CH_TRY(const Extent extent, extent_of(bytes, bytes.size(), name, rows));
  return array_in(extent, bytes);
}

Result<Tensor> parse_npy(const std::function<Result<std::string>(std::size_t)>& take,
                         std::size_t size, std::string_view name, std::int64_t rows) {
  constexpr std::size_t kHeader = std::size_t{1} << 17;  // numpy's own fit in 64 KB
  CH_TRY(const std::string first, take(std::min(size, kHeader)));
  CH_TRY(const Extent extent, extent_of(std::as_bytes(std::span(first)), size, name, rows));
  CH_TRY(const std::string bytes, take(extent.begin + extent.bytes));
  return array_in(extent, std::as_bytes(std::span(bytes)));
}

Result<Tensor> read_npy(const std::filesystem::path& path, std::int64_t rows) {
  CH_TRY(const MappedFile file, MappedFile::open(path));
  return parse_npy(file.bytes(), path.string(), rows);
}

Result<std::string> format_npy(const Tensor& tensor) {
  const auto* found = std::find_if(kDescrs.begin(), kDescrs.end(),
                                   [&](const Descr& d) { return d.dtype == tensor.dtype(); });
  if (found == kDescrs.end())
    return Error{.what = cat("numpy has no type for ", name_of(tensor.dtype())),
                 .hint = "convert the tensor to f32 first"};
  std::string header = cat("{'descr': '", found->text, "', 'fortran_order': False, 'shape': (");
  for (const std::int64_t dim : tensor.shape()) header += cat(dim, tensor.rank() == 1 ? "," : ", ");
  if (tensor.rank() > 1) header.resize(header.size() - 2);
  header += "), }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');  // data at a multiple of 64
  header += '\n';
  if (header.size() > 0xFFFF)
    return Error{.what = cat("a tensor of rank ", tensor.rank(), " does not fit a .npy header")};
  std::string out = cat(kMagic, '\x01', '\x00', static_cast<char>(header.size() & 0xFF),
                        static_cast<char>(header.size() >> 8), header);
  out.append(reinterpret_cast<const char*>(tensor.bytes()), tensor.size_in_bytes());
  return out;
}

Status write_npy(const std::filesystem::path& path, const Tensor& tensor) {
  CH_TRY(const std::string bytes, format_npy(tensor));
  return write_file(path, bytes);
}

}  // namespace chop::io

// Reads HDF5 tables in a child process, because the HDF5 library crashes, loops and leaks on some
// damaged files.
//
//   parent                                child (fork)
//   open the file, read its size
//   fork, wait for the pipe ------------> load the library, open the file, check types and extents
//                            <----------- shape and elements, or an error's texts, through a pipe
//   make the tensor, or the error         exit
//
// A child that crashes, or that uses more processor time than a file of this size can need, is an
// error in the parent like any other (support/system/child_process.hpp).
#include "io/tables/hdf5.hpp"

#include <cstring>
#include <functional>

#include "io/tables/hdf5_library.hpp"
#include "io/tensor_bytes.hpp"
#include "support/system/child_process.hpp"
#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::io {
namespace {

constexpr unsigned kReadOnly = 0;  // H5F_ACC_RDONLY is this behind a call of the library
const Hdf5* h5 = nullptr;          ///< the library, from the first file on

/// An HDF5 identifier, closed when it goes out of scope.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  explicit operator bool() const { return id_ >= 0; }
  hid_t get() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// The file that is read, for messages and checks.
struct Source {
  const std::string& name;
  const std::string& dataset;
  std::size_t bytes;  ///< of the whole file
};

Error broken_hdf5(const std::string& name, const std::string& reason) {
  return Error{.what = cat("'", name, "' cannot be used: ", reason),
               .hint = "the file may be truncated; download or write it again"};
}

std::vector<std::string> member_names(hid_t type) {
  std::vector<std::string> names;
  const int count = h5->H5Tget_nmembers(type);
  for (int i = 0; i < count; ++i) {
    char* name = h5->H5Tget_member_name(type, static_cast<unsigned>(i));
    if (name == nullptr) continue;
    names.emplace_back(name);
    h5->H5free_memory(name);
  }
  return names;
}

Status check_columns(hid_t type, std::span<const std::string> columns, const Source& source) {
  if (h5->H5Tget_class(type) != H5T_COMPOUND)
    return Error{.what = cat("'", source.name, "': data set '", source.dataset,
                             "' is not a table with named columns")};
  const std::vector<std::string> names = member_names(type);
  for (const std::string& column : columns) {
    const int index = h5->H5Tget_member_index(type, column.c_str());
    if (index < 0)
      return Error{.what = cat("'", source.name, "': data set '", source.dataset,
                               "' has no column '", column, "'"),
                   .hint = did_you_mean(column, names) + "it has " + join(names, ", ")};
    const H5T_class_t kind = h5->H5Tget_member_class(type, static_cast<unsigned>(index));
    if (kind != H5T_INTEGER && kind != H5T_FLOAT)
      return Error{.what = cat("'", source.name, "': column '", column, "' of data set '",
                               source.dataset, "' is not a column of numbers")};
  }
  return {};
}

Error elsewhere(const Source& source) {
  return Error{
      .what = cat("'", source.name, "': data set '", source.dataset, "' lies in another file"),
      .hint = "copy it into the file itself, as h5repack does"};
}

/// HDF5 files can refer to other files; such references are refused.
Status check_link(hid_t file, const Source& source) {
  H5L_info_t link = {};
  if (h5->H5Lget_info(file, source.dataset.c_str(), &link, H5P_DEFAULT) < 0)
    return Error{.what = cat("'", source.name, "' has no data set '", source.dataset, "'"),
                 .hint =
                     "of HDF5 files only tables of jets are read, which have it; save other "
                     "data as .npz with the arrays x and y"};
  if (link.type != H5L_TYPE_HARD) return elsewhere(source);
  return {};
}

/// The same for the stored bytes of a data set.
Status check_storage(hid_t data, const Source& source) {
  const Handle creation(h5->H5Dget_create_plist(data), h5->H5Pclose);
  if (!creation || h5->H5Pget_external_count(creation.get()) != 0 ||
      h5->H5Pget_layout(creation.get()) == H5D_VIRTUAL)
    return elsewhere(source);
  return {};
}

/// How many bytes one stored byte may expand to.
hsize_t largest_ratio(hid_t data) {
  const Handle creation(h5->H5Dget_create_plist(data), h5->H5Pclose);
  constexpr hsize_t kOfDeflate = 1100;  // the filter stays below 1032
  return creation && h5->H5Pget_nfilters(creation.get()) == 0 ? 1 : kOfDeflate;
}

/// The number of rows, accepted only when the stored bytes can hold them and are in the file.
Result<hsize_t> row_count(hid_t data, hid_t space, hid_t type, const Source& source) {
  hsize_t rows = 0;
  if (h5->H5Sget_simple_extent_ndims(space) != 1 ||
      h5->H5Sget_simple_extent_dims(space, &rows, nullptr) != 1)
    return Error{
        .what = cat("'", source.name, "': data set '", source.dataset, "' is not one-dimensional")};
  const hsize_t stored = h5->H5Dget_storage_size(data);
  const hsize_t there = std::min<hsize_t>(stored, source.bytes);
  const hsize_t row_bytes = std::max<hsize_t>(h5->H5Tget_size(type), 1);
  if (rows > 0 && rows > there * largest_ratio(data) / row_bytes)
    return broken_hdf5(source.name,
                       cat("data set '", source.dataset, "' claims ", rows, " rows in ", stored,
                           " stored bytes of a file of ", source.bytes));
  return rows;
}

Result<Tensor> read_rows(hid_t data, hid_t space, hsize_t rows,
                         std::span<const std::string> columns, const std::string& name) {
  const std::size_t width = columns.size();
  const Handle row_type(h5->H5Tcreate(H5T_COMPOUND, width * sizeof(double)), h5->H5Tclose);
  for (std::size_t i = 0; i < width; ++i) {
    if (h5->H5Tinsert(row_type.get(), columns[i].c_str(), i * sizeof(double),
                      *h5->H5T_NATIVE_DOUBLE_g) < 0)
      return Error{.what = cat("column '", columns[i], "' is asked for twice")};
  }
  Tensor result(DType::F64, {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(width)});
  const std::span<double> out = result.mutable_data<double>();
  constexpr hsize_t kBlock = 1U << 16;
  for (hsize_t begin = 0; begin < rows; begin += kBlock) {
    const hsize_t count = std::min(kBlock, rows - begin);
    const Handle memory(h5->H5Screate_simple(1, &count, nullptr), h5->H5Sclose);
    if (!memory ||
        h5->H5Sselect_hyperslab(space, H5S_SELECT_SET, &begin, nullptr, &count, nullptr) < 0 ||
        h5->H5Dread(data, row_type.get(), memory.get(), space, H5P_DEFAULT, &out[begin * width]) <
            0)
      return broken_hdf5(name, cat("rows ", begin, " to ", begin + count, " cannot be read"));
  }
  return result;
}

/// The columns of an open file.
Result<Tensor> read_columns(const Handle& file, const Source& source,
                            std::span<const std::string> columns, std::int64_t most_rows) {
  if (!file) return broken_hdf5(source.name, "it is not an HDF5 file, or not a whole one");
  CH_CHECK(check_link(file.get(), source));
  const Handle data(h5->H5Dopen2(file.get(), source.dataset.c_str(), H5P_DEFAULT), h5->H5Dclose);
  if (!data) return broken_hdf5(source.name, cat("'", source.dataset, "' is not a data set"));
  CH_CHECK(check_storage(data.get(), source));
  const Handle type(h5->H5Dget_type(data.get()), h5->H5Tclose);
  const Handle space(h5->H5Dget_space(data.get()), h5->H5Sclose);
  if (!type || !space)
    return broken_hdf5(source.name, cat("data set '", source.dataset, "' cannot be described"));
  CH_CHECK(check_columns(type.get(), columns, source));
  CH_TRY(hsize_t rows, row_count(data.get(), space.get(), type.get(), source));
  if (most_rows > 0) rows = std::min(rows, static_cast<hsize_t>(most_rows));
  return read_rows(data.get(), space.get(), rows, columns, source.name);
}

void put(const ChildWrite& write, const std::string& text) {
  const std::uint64_t size = text.size();
  write(std::as_bytes(std::span(&size, 1)));
  write(std::as_bytes(std::span(text)));
}

std::string take_text(std::span<const std::byte>& from) {
  const std::uint64_t size = little_endian(from, sizeof(std::uint64_t));
  const std::string text(reinterpret_cast<const char*>(from.data()) + sizeof(size), size);
  from = from.subspan(sizeof(size) + size);
  return text;
}

/// Opens a file by `open` and reads it in a child process, which writes an error's texts or a
/// tensor's shape and elements.
Result<Tensor> read_apart(const std::function<hid_t()>& open, const Source& source,
                          std::span<const std::string> columns, std::int64_t most_rows) {
  CH_TRY(h5, load_hdf5());
  const auto seconds = static_cast<unsigned>(2 + (source.bytes >> 22));  // 4 MB a second
  // Tables of numbers shrink a few times when they are compressed; bombs a thousand times.
  const ChildLimits limits{.processor_seconds = seconds,
                           .seconds = 30 + 4 * seconds,
                           .bytes = (std::size_t{1} << 30U) + 32 * source.bytes};
  const auto work = [&](const ChildWrite& write) {
    h5->H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const Handle file(open(), h5->H5Fclose);
    const Result<Tensor> table = read_columns(file, source, columns, most_rows);
    const std::array<std::int64_t, 2> shape = {table ? table.value().dim(0) : -1,
                                               static_cast<std::int64_t>(columns.size())};
    write(std::as_bytes(std::span(shape)));
    if (table) return write({table.value().bytes(), table.value().size_in_bytes()});
    put(write, table.error().what);
    put(write, table.error().hint);
  };
  const Result<ChildBytes> answer = run_in_child(work, limits);
  if (!answer) {
    Error error = broken_hdf5(source.name, "HDF5's library fails on it").note(answer.error().what);
    if (!answer.error().hint.empty()) error.hint = answer.error().hint;
    return error;
  }
  std::span<const std::byte> bytes = answer.value().bytes();
  std::array<std::int64_t, 2> shape = {};
  std::memcpy(shape.data(), bytes.data(), sizeof(shape));
  bytes = bytes.subspan(sizeof(shape));
  if (shape[0] >= 0) return tensor_from_bytes(DType::F64, {shape[0], shape[1]}, bytes);
  std::string what = take_text(bytes);
  return Error{.what = std::move(what), .hint = take_text(bytes)};
}

}  // namespace

Result<Tensor> read_hdf5_columns(const std::filesystem::path& path, const std::string& dataset,
                                 std::span<const std::string> columns, std::int64_t most_rows) {
  CH_TRY(const MappedFile readable, MappedFile::open(path));  // for its clear messages
  const std::string name = path.string();
  return read_apart([&] { return h5->H5Fopen(name.c_str(), kReadOnly, H5P_DEFAULT); },
                    {name, dataset, readable.bytes().size()}, columns, most_rows);
}

Result<Tensor> parse_hdf5_columns(std::span<const std::byte> bytes, const std::string& name,
                                  const std::string& dataset, std::span<const std::string> columns,
                                  std::int64_t most_rows) {
  if (bytes.empty()) return broken_hdf5(name, "it is empty");
  const auto open = [&] {
    const Handle in_memory(h5->H5Pcreate(*h5->H5P_CLS_FILE_ACCESS_ID_g), h5->H5Pclose);
    h5->H5Pset_fapl_core(in_memory.get(), 1U << 16, /*backing_store=*/0);
    // The library copies the bytes; it only reads them.
    h5->H5Pset_file_image(in_memory.get(), const_cast<std::byte*>(bytes.data()), bytes.size());
    return h5->H5Fopen(name.c_str(), kReadOnly, in_memory.get());
  };
  return read_apart(open, {name, dataset, bytes.size()}, columns, most_rows);
}

}  // namespace chop::io

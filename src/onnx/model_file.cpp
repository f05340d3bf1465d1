// A file is first counted field by field, without building messages, then parsed by protobuf.
#include "onnx/model_file.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>

#include "support/text.hpp"

namespace chop::onnx {
namespace {

namespace fs = std::filesystem;
namespace pb = google::protobuf;
using pb::io::CodedInputStream;

constexpr int kModelIrVersion = 1;  // field numbers are stable for all versions

/// Skips one field of protobuf's wire format; false where the bytes are invalid.
bool skip_field(CodedInputStream& in, std::uint32_t tag) {
  switch (tag & 7U) {
    case 0: {
      std::uint64_t ignored = 0;
      return in.ReadVarint64(&ignored);
    }
    case 1:
      return in.Skip(8);
    case 2: {
      std::uint32_t length = 0;
      return in.ReadVarint32(&length) && length <= 0x7FFFFFFFU && in.Skip(static_cast<int>(length));
    }
    case 5:
      return in.Skip(4);
    default:
      return false;
  }
}

/// Counts what a file holds without building it: a few megabytes can describe messages that
/// take gigabytes.
struct Counts {
  std::int64_t nodes = 0;
  std::int64_t parts = 0;
  bool has_graph = false;
  bool too_deep = false;

  /// Counts the fields of a message; false where the bytes are invalid.
  bool read(CodedInputStream& in, const pb::Descriptor* kind, int depth) {
    if (depth == 0) {
      too_deep = true;
      return false;
    }
    while (const std::uint32_t tag = in.ReadTag()) {
      const pb::FieldDescriptor* field = kind->FindFieldByNumber(static_cast<int>(tag >> 3));
      const bool has_length = (tag & 7U) == 2;
      if (field != nullptr && has_length && field->type() != pb::FieldDescriptor::TYPE_MESSAGE)
        parts += field->cpp_type() == pb::FieldDescriptor::CPPTYPE_STRING ? 1 : 0;
      if (field == nullptr || !has_length || field->type() != pb::FieldDescriptor::TYPE_MESSAGE) {
        if (!skip_field(in, tag)) return false;
      } else if (!read_inner(in, field->message_type(), depth)) {
        return false;
      }
    }
    return in.ConsumedEntireMessage();
  }

 private:
  bool read_inner(CodedInputStream& in, const pb::Descriptor* kind, int depth) {
    std::uint32_t length = 0;
    if (!in.ReadVarint32(&length) || length > 0x7FFFFFFFU) return false;
    const auto limit = in.PushLimit(static_cast<int>(length));
    ++parts;
    nodes += kind == proto::NodeProto::descriptor() ? 1 : 0;
    has_graph = has_graph || kind == proto::GraphProto::descriptor();
    if (!read(in, kind, depth - 1)) return false;
    in.PopLimit(limit);
    return true;
  }
};

/// False where the bytes are no model.
bool count(std::span<const std::byte> bytes, int depth, Counts& counts) {
  CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  return counts.read(in, proto::ModelProto::descriptor(), depth);
}

}  // namespace

Error not_onnx(const std::string& name, const std::string& reason) {
  return {.what = cat("'", name, "' is not a readable ONNX file: ", reason),
          .hint = "the file may be truncated or of another kind; export it again"};
}

bool looks_like_onnx(std::span<const std::byte> bytes) {
  Counts counts;
  // ir_version comes first in every file written so far; a graph must follow.
  return bytes.size() > 4 && bytes[0] == std::byte{kModelIrVersion << 3} &&
         bytes.size() <= 0x7FFFFFFFU && count(bytes, OnnxLimits{}.depth, counts) &&
         counts.has_graph;
}

Result<OnnxFile> parse_onnx(std::span<const std::byte> bytes, std::string name,
                            const OnnxLimits& limits) {
  if (bytes.size() > 0x7FFFFFFFU)
    return not_onnx(name, "it is larger than 2 GiB, the most a message may be");
  Counts counts;
  if (!count(bytes, limits.depth, counts))
    return not_onnx(name, counts.too_deep
                              ? cat("its messages are nested more than ", limits.depth, " deep")
                              : "its bytes are not a protocol buffer");
  if (counts.nodes > limits.nodes)
    return Error{.what = cat("'", name, "' has ", with_commas(counts.nodes), " nodes"),
                 .hint = cat("at most ", with_commas(limits.nodes), " are read")};
  if (counts.parts > limits.parts)
    return Error{.what = cat("'", name, "' is made of ", with_commas(counts.parts), " parts"),
                 .hint = cat("at most ", with_commas(limits.parts), " are read")};
  OnnxFile file{std::make_unique<proto::ModelProto>(), {}, std::move(name)};
  CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  in.SetRecursionLimit(limits.depth);
  if (!file.model->ParseFromCodedStream(&in) || !in.ConsumedEntireMessage())
    return not_onnx(file.name, "its messages are malformed");
  if (!file.model->has_graph()) return not_onnx(file.name, "it holds no graph");
  return file;
}

Result<OnnxFile> read_onnx(const MappedFile& mapped, const OnnxLimits& limits) {
  const fs::path& path = mapped.path();
  CH_TRY(OnnxFile file, parse_onnx(mapped.bytes(), path.string(), limits));
  file.folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  return file;
}

Result<OnnxFile> read_onnx(const fs::path& path, const OnnxLimits& limits) {
  CH_TRY(const MappedFile mapped, MappedFile::open(path));
  return read_onnx(mapped, limits);
}

}  // namespace chop::onnx

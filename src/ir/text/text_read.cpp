// The reader of the text form: a predictive (LL(1)) parser with one token of lookahead. The
// grammar, in docs/ir-text.md, does not nest, so there is no recursion and no input is too deep.
//
//   %fc = call_module[target=fc] linear(%x) {bias=false}
//   ^ read_node: a reference, "=", an opcode
//         ^ read_settings: target and op in brackets
//                                    ^ read_rest: inputs, attributes, formats, metadata
//
// Names are resolved as they are read: a value must be defined before it is used.
#include "ir/json.hpp"
#include "ir/text/text.hpp"
#include "ir/text/text_parser.hpp"
#include "ir/verify.hpp"
#include "support/escape.hpp"

namespace chop::ir {
namespace {

template <class T, class Read>
Status read_into(Tensor& tensor, std::size_t i, Read read) {
  CH_TRY(tensor.mutable_data<T>()[i], read());
  return {};
}

Status read_element(TextParser& in, Tensor& tensor, std::size_t i) {
  switch (tensor.dtype()) {
    case DType::F32:
      return read_into<float>(tensor, i, [&] { return in.read_float(); });
    case DType::F64:
      return read_into<double>(tensor, i, [&] { return in.read_real(); });
    case DType::F16:
    case DType::BF16:
      return read_into<std::uint16_t>(tensor, i, [&] { return in.read_half(tensor.dtype()); });
    case DType::I64:
      return read_into<std::int64_t>(tensor, i, [&] { return in.read_whole<std::int64_t>(); });
    case DType::I32:
      return read_into<std::int32_t>(tensor, i, [&] { return in.read_whole<std::int32_t>(); });
    case DType::I16:
      return read_into<std::int16_t>(tensor, i, [&] { return in.read_whole<std::int16_t>(); });
    case DType::I8:
      return read_into<std::int8_t>(tensor, i, [&] { return in.read_whole<std::int8_t>(); });
    case DType::U64:
      return read_into<std::uint64_t>(tensor, i, [&] { return in.read_whole<std::uint64_t>(); });
    case DType::U32:
      return read_into<std::uint32_t>(tensor, i, [&] { return in.read_whole<std::uint32_t>(); });
    case DType::U16:
      return read_into<std::uint16_t>(tensor, i, [&] { return in.read_whole<std::uint16_t>(); });
    case DType::U8:
      return read_into<std::uint8_t>(tensor, i, [&] { return in.read_whole<std::uint8_t>(); });
    case DType::Bool:
      return read_into<bool>(tensor, i, [&] { return in.read_flag(); });
  }
  return {};
}

class GraphReader {
 public:
  GraphReader(std::string_view source, const ReadLimits& limits)
      : in_(source), limits_(limits), zeros_(limits) {}

  Result<Graph> run() {
    CH_CHECK(in_.advance());
    CH_CHECK(in_.expect_word("graph"));
    CH_TRY(std::string name, in_.read_name("the graph's name"));
    graph_.set_name(std::move(name));
    CH_CHECK(in_.expect("{"));
    while (!in_.token().is("}")) CH_CHECK(read_statement());
    const std::size_t end = in_.offset();
    CH_CHECK(in_.advance());
    if (in_.token().kind != TokenKind::End) return in_.expected("the end of the text");
    if (Status status = verify_structure(graph_); !status)
      return in_.located(std::move(status).error(), end);
    return std::move(graph_);
  }

 private:
  Status read_statement() {
    if (in_.token().is_word("parameter") || in_.token().is_word("buffer")) return read_parameter();
    if (in_.token().is_word("output")) return read_usual_output();
    if (in_.token().kind == TokenKind::Reference) return read_node();
    return in_.expected("'parameter', 'buffer', a node like %name, 'output' or '}'");
  }

  Status read_parameter() {
    const bool trainable = in_.token().is_word("parameter");
    CH_CHECK(in_.advance());
    const std::size_t offset = in_.offset();
    CH_TRY(std::string name, in_.read_name("a parameter's name"));
    Parameter parameter{.name = std::move(name), .trainable = trainable};
    if (graph_.find_parameter(parameter.name) != nullptr)
      return in_.located({.what = cat("a second parameter is named ", in_quotes(parameter.name))},
                         offset);
    CH_CHECK(in_.expect(":"));
    const std::size_t type_offset = in_.offset();
    CH_TRY(const TensorType type, read_type());
    if (in_.token().is("=")) {
      CH_TRY(parameter.value, read_values(type));
    } else {
      Result<Tensor> zeros = zeros_.make(type);
      if (!zeros) return in_.located(std::move(zeros).error(), type_offset);
      parameter.value = std::move(zeros).value();
    }
    graph_.add_parameter(std::move(parameter));
    return {};
  }

  Result<TensorType> read_type() {
    TensorType type;
    const std::size_t offset = in_.offset();
    CH_TRY(const std::string name, in_.read_name("a dtype such as f32"));
    Result<DType> dtype = dtype_from_name(name);
    if (!dtype) return in_.located(std::move(dtype).error(), offset);
    type.dtype = dtype.value();
    CH_CHECK(in_.expect("["));
    const auto read_dim = [&]() -> Status {
      CH_TRY(type.shape.emplace_back(), in_.read_whole<std::int64_t>());
      return {};
    };
    CH_CHECK(in_.read_list("]", read_dim));
    if (Status status = check_shape(type.shape, limits_); !status)
      return in_.located(std::move(status).error(), offset);
    return type;
  }

  Result<Tensor> read_values(const TensorType& type) {
    CH_CHECK(in_.advance());
    const std::size_t offset = in_.offset();
    CH_CHECK(in_.expect("["));
    // Each value takes two characters or more, so the text itself bounds the allocation.
    const std::int64_t wanted = numel(type.shape);
    const auto most = static_cast<std::int64_t>((in_.source().size() - offset) / 2);
    const std::string need = cat("shape ", to_string(type.shape), " needs ", wanted, " values");
    if (wanted > most) return in_.located({.what = need}, offset);
    Tensor tensor(type);
    std::int64_t count = 0;
    const auto read_one = [&]() -> Status {
      if (count == wanted) return in_.located({.what = need + ", found more"});
      return read_element(in_, tensor, static_cast<std::size_t>(count++));
    };
    CH_CHECK(in_.read_list("]", read_one));
    if (count != wanted) return in_.located({.what = cat(need, ", found ", count)}, offset);
    return tensor;
  }

  Status read_usual_output() {
    const std::size_t offset = in_.offset();
    CH_CHECK(in_.advance());
    return read_rest(
        {.name = "output", .opcode = Opcode::Output, .op = "output", .target = "output"}, offset);
  }

  Status read_node() {
    const Token name = in_.token();
    if (name.numbered)
      return in_.located({.what = "a node's name cannot end in a number of its own",
                          .hint = "write it in quotes: %\"a.1\""});
    if (name.text.empty()) return in_.located({.what = "a node needs a name"});
    CH_CHECK(in_.advance());
    CH_CHECK(in_.expect("="));
    const Token& word = in_.token();
    const std::optional<Opcode> opcode =
        word.kind == TokenKind::Word ? opcode_from_name(word.text) : std::nullopt;
    if (!opcode)
      return in_.expected(
          "placeholder, get_attr, call_function, call_method, call_module or output");
    Node node{.name = name.text, .opcode = *opcode, .op = std::string(name_of(*opcode))};
    CH_CHECK(in_.advance());
    if (in_.token().is("[")) CH_CHECK(read_settings(node));
    if (is_call(node.opcode)) {
      CH_TRY(node.op, in_.read_name("the name of an op"));
    }
    return read_rest(std::move(node), name.begin);
  }

  /// [target=T]
  Status read_settings(Node& node) {
    CH_CHECK(in_.advance());
    return in_.read_list("]", [&]() -> Status {
      if (!in_.token().is_word("target")) return in_.expected("target=...");
      CH_CHECK(in_.advance());
      CH_CHECK(in_.expect("="));
      CH_TRY(node.target, in_.read_name("a name"));
      return {};
    });
  }

  /// (inputs) {attributes} formats {...} meta {...}, each only if there is any.
  Status read_rest(Node node, std::size_t offset) {
    if (in_.token().is("(")) CH_CHECK(read_inputs(node));
    if (in_.token().is("{")) {
      CH_TRY(node.attrs, in_.read_attrs());
    }
    if (in_.token().is_word("formats")) CH_CHECK(read_formats(node));
    if (in_.token().is_word("meta")) CH_CHECK(read_meta(node));
    if (graph_.find(node.name))
      return in_.located({.what = cat("a second node is named ", in_quotes(node.name))}, offset);
    graph_.add(std::move(node));
    return {};
  }

  Status read_inputs(Node& node) {
    CH_CHECK(in_.advance());
    return in_.read_list(")", [&]() -> Status {
      const Token& token = in_.token();
      if (token.kind != TokenKind::Reference) return in_.expected("an input like %name");
      const auto id = graph_.find(token.text);
      if (!id) return unknown_node(token.text);
      node.inputs.push_back({*id, token.result});
      return in_.advance();
    });
  }

  Error unknown_node(const std::string& name) const {
    std::vector<std::string> names;
    for (const NodeId id : graph_.order()) names.push_back(graph_.node(id).name);
    const bool few = names.size() <= 1000 && name.size() <= 100;
    return in_.located({.what = cat("no earlier node is named ", in_quotes(name)),
                        .hint = few ? std::string(trim(did_you_mean(name, names))) : ""});
  }

  Status read_formats(Node& node) {
    CH_CHECK(in_.advance());
    CH_CHECK(in_.expect("{"));
    return in_.read_list("}", [&]() -> Status {
      const std::size_t offset = in_.offset();
      CH_TRY(std::string operand, in_.read_name("an operand such as weight"));
      if (node.formats.contains(operand))
        return in_.located({.what = cat("a second format is given for ", in_quotes(operand))},
                           offset);
      CH_CHECK(in_.expect(":"));
      NumberFormat& format = node.formats[std::move(operand)];
      CH_TRY(format.name, in_.read_name("a number format such as integer"));
      if (in_.token().is("{")) {
        CH_TRY(format.config, in_.read_attrs());
      }
      return {};
    });
  }

  /// The JSON object that follows, found by its braces.
  Status read_meta(Node& node) {
    CH_CHECK(in_.advance());
    if (!in_.token().is("{")) return in_.expected("'{'");
    const std::string_view source = in_.source();
    const std::size_t begin = in_.offset();
    std::size_t end = begin;
    int depth = 0;
    bool inside_text = false;
    do {
      if (end >= source.size()) return in_.located({.what = "the metadata has no closing '}'"});
      const char c = source[end++];
      if (inside_text && c == '\\') ++end;
      if (c == '"') inside_text = !inside_text;
      if (!inside_text && c == '{') ++depth;
      if (!inside_text && c == '}') --depth;
    } while (depth > 0);
    Result<Metadata> meta = metadata_from_json(source.substr(begin, end - begin));
    if (!meta) return in_.located(std::move(meta).error());
    node.meta = std::move(meta).value();
    return in_.jump(end);
  }

  TextParser in_;
  ReadLimits limits_;
  ZeroTensors zeros_;
  Graph graph_;
};

}  // namespace

Result<Graph> read_text(std::string_view text, const ReadLimits& limits) {
  return GraphReader(text, limits).run();
}

}  // namespace chop::ir

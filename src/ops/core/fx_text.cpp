#include "ops/core/fx_text.hpp"

#include "formats/registry.hpp"
#include "ir/text/text.hpp"
#include "ops/core/registry.hpp"
#include "support/text.hpp"

namespace chop::ops {
namespace {

/// The parts of (args = (...), kwargs = {...}).
struct Arguments {
  std::vector<std::string> args = {};
  std::vector<std::string> kwargs = {};

  std::string text() const {
    return cat("(args = (", join(args, ", "), args.size() == 1 ? ",)" : ")", ", kwargs = {",
               join(kwargs, ", "), "})");
  }
};

class CallText {
 public:
  CallText(const Graph& graph, const Node& node)
      : graph_(graph), node_(node), call_{op_of(node), node.attrs} {}

  std::string run() {
    if (node_.opcode == Opcode::CallModule) {
      append_inputs();
    } else if (node_.opcode == Opcode::CallFunction && !call_.op.fx.empty()) {
      follow(call_.op.fx);
    } else {
      append_inputs();
      append_set_attributes();
    }
    return out_.text();
  }

 private:
  std::string input(std::size_t position) const {
    if (position >= node_.inputs.size()) return "None";
    const Value& value = node_.inputs[position];
    const std::string& name = graph_.node(value.node).name;
    return value.index == 0 ? cat("%", name) : cat("%", name, ".", value.index);
  }

  void append_inputs() {
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) out_.args.push_back(input(i));
  }

  bool is_set(const Field& def) const { return node_.attrs.contains(std::string(def.name)); }

  /// As str() shows the value: texts without quotes, a list of one as its item.
  static std::string show(const Attr& attr) {
    if (const auto* text = std::get_if<std::string>(&attr)) return *text;
    if (const auto* list = std::get_if<Ints>(&attr)) {
      if (list->empty()) return "None";
      if (list->size() == 1) return std::to_string(list->front());
    }
    return to_python(attr);
  }

  void append_set_attributes() {
    bool in_order = true;  // nothing left out so far
    for (const Field& def : call_.op.attrs) {
      if (def.internal) continue;
      if (!is_set(def)) {
        in_order = false;
        continue;
      }
      const Attr& attr = call_.attr(def.name);
      const auto* list = std::get_if<Ints>(&attr);
      if (list != nullptr && def.required && node_.opcode == Opcode::CallMethod) {
        for (const std::int64_t item : *list) out_.args.push_back(std::to_string(item));
      } else if (in_order) {
        out_.args.push_back(show(attr));
      } else {
        out_.kwargs.push_back(cat(def.name, ": ", show(attr)));
      }
    }
  }

  /// What `word` stands for; nothing for an attribute that is not set, unless `always`.
  std::optional<std::string> meaning(std::string_view word, bool always) const {
    if (word == "x") return input(0);
    if (word == "xs") {
      std::vector<std::string> inputs;
      for (std::size_t i = 0; i < node_.inputs.size(); ++i) inputs.push_back(input(i));
      return cat("[", join(inputs, ", "), "]");
    }
    if (word.size() == 2 && word[0] == 'x' && word[1] >= '0' && word[1] <= '9')
      return input(static_cast<std::size_t>(word[1] - '0'));
    const bool tuple = word.starts_with('(');
    const Field* def = find_field(call_.op.attrs, tuple ? word.substr(1, word.size() - 2) : word);
    if (def == nullptr) return std::string(word);
    if (!is_set(*def) && !always) return {};
    const Attr& attr = call_.attr(def->name);
    return tuple ? to_python(attr) : show(attr);
  }

  void follow(std::string_view form) {
    for (const std::string& part : split(form, ',')) {
      const std::string_view word = trim(part);
      const std::size_t equals = word.find('=');
      if (word == "*xs") {
        append_inputs();
      } else if (equals != std::string_view::npos) {
        const std::string_view value = word.substr(equals + 1);
        out_.kwargs.push_back(cat(word.substr(0, equals), ": ", *meaning(value, true)));
      } else if (std::optional<std::string> text = meaning(word, false)) {
        out_.args.push_back(*std::move(text));
      }
    }
  }

  const Graph& graph_;
  const Node& node_;
  Call call_;
  Arguments out_;
};

}  // namespace

std::string fx_text(const Graph& graph) {
  return print_fx(graph,
                  [](const Graph& of, const Node& node) { return CallText(of, node).run(); });
}

std::string layer_repr(const Node& node) {
  const OpDef& op = op_of(node);
  return cat(layer_class(node), "(", op.repr ? op.repr({op, node.attrs}) : "", ")");
}

std::string layer_class(const Node& node) {
  const OpDef& op = op_of(node);
  const std::string_view plain = op.module.empty() ? op.name : op.module;
  for (const auto& [operand, format] : node.formats)
    if (!format.is_plain()) return class_name(plain, format);
  return std::string(plain);
}

}  // namespace chop::ops

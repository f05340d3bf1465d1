// From TOML to a NetworkSpec: which keys there are, the kind of each, its line in the file.
#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <map>

#include "models/network.hpp"
#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::models {
namespace {

const std::vector<std::string> kModelKeys = {"name", "input", "classes", "layers"};
const std::vector<std::string> kBlockKeys = {"layers", "name", "input", "repeat"};

std::string_view kind_name(const toml::node& node) {
  static constexpr std::array<std::string_view, 10> kKinds = {
      "nothing", "a table", "an array", "a text", "an integer",
      "a real",  "a bool",  "a date",   "a time", "a date-time"};
  return kKinds.at(static_cast<std::size_t>(node.type()));
}

/// `"12.5"` as written, for messages; arrays and tables by their kind alone.
std::string shown(const toml::node& node) {
  if (const auto* text = node.as_string()) return cat("\"", text->get(), "\"");
  if (const auto* whole = node.as_integer()) return cat(whole->get());
  if (const auto* real = node.as_floating_point()) return exact(real->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return std::string(kind_name(node));
}

class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  Result<NetworkSpec> network(const toml::table& root) {
    const toml::node* model = root.get("model");
    if (model == nullptr)
      return Error{.what = cat(file_, " has no [model] table"),
                   .hint = "a network needs one with its layers; see docs/networks-in-toml.md"};
    if (const auto* text = model->as_string())
      return Error{.what = cat(at(*model), ": model = \"", text->get(), "\" names a model"),
                   .hint = "a network of one's own is a table: [model] with layers = [...]"};
    const toml::table* table = model->as_table();
    if (table == nullptr) return wrong("model", *model, "a table with the network's layers");
    return network_table(*table);
  }

 private:
  std::string at(const toml::node& node) const { return cat(file_, ":", node.source().begin.line); }

  Error wrong(std::string_view key, const toml::node& value, std::string_view wanted) const {
    return {.what = cat(key, " = ", shown(value), " is not ", wanted),
            .notes = {at(value)},
            .hint = {}};
  }

  Error unknown_key(std::string_view key, const toml::node& value, std::string_view where,
                    const std::vector<std::string>& known) const {
    return {.what = cat("unknown key '", key, "' in ", where),
            .notes = {at(value)},
            .hint = cat(did_you_mean(key, known), "the keys are ", join(known, ", "))};
  }

  Result<NetworkSpec> network_table(const toml::table& table) {
    NetworkSpec network{.file = file_};
    for (const auto& [key, value] : table) {
      if (key == "name") {
        CH_TRY(network.name, text(key, value));
      } else if (key == "input") {
        CH_TRY(network.input, shape(key, value));
      } else if (key == "classes") {
        CH_TRY(network.classes, count(key, value));
      } else if (key == "layers") {
        CH_TRY(network.layers, layers(value, ""));
      } else {
        return unknown_key(key.str(), value, "[model]", kModelKeys);
      }
    }
    if (network.layers.empty())
      return Error{.what = "[model] has no layers",
                   .notes = {at(table)},
                   .hint = "layers = [\"relu\", { op = \"linear\", out_features = \"classes\" }]"};
    return network;
  }

  Result<std::string> text(std::string_view key, const toml::node& value) {
    const auto* found = value.as_string();
    if (found == nullptr || found->get().empty()) return wrong(key, value, "a text");
    return found->get();
  }

  Result<std::int64_t> count(std::string_view key, const toml::node& value) {
    const auto* found = value.as_integer();
    if (found == nullptr || found->get() < 1)
      return wrong(key, value, "a whole number of at least 1");
    return found->get();
  }

  Result<Shape> shape(std::string_view key, const toml::node& value) {
    if (value.is_integer()) {
      CH_TRY(const std::int64_t size, count(key, value));
      return Shape{size};
    }
    const toml::array* array = value.as_array();
    if (array == nullptr || array->empty())
      return wrong(key, value, "the shape of one sample, such as [16] or [3, 32, 32]");
    Shape sizes;
    for (const toml::node& item : *array) {
      CH_TRY(sizes.emplace_back(), count(key, item));
    }
    return sizes;
  }

  Result<std::vector<LayerSpec>> layers(const toml::node& value, const std::string& outer) {
    const toml::array* array = value.as_array();
    if (array == nullptr || array->empty())
      return wrong("layers", value, "an array of at least one layer");
    std::vector<LayerSpec> specs;
    for (const toml::node& item : *array) {
      const std::string number = cat(outer, specs.size() + 1);
      CH_TRY(specs.emplace_back(), layer(item, number));
    }
    return specs;
  }

  Result<LayerSpec> layer(const toml::node& item, const std::string& number) {
    const std::string location = cat("layer ", number, " (", at(item), ")");
    if (const auto* name = item.as_string())
      return LayerSpec{.op = name->get(), .location = location};
    const toml::table* table = item.as_table();
    if (table == nullptr) {
      Error error = wrong(cat("layer ", number), item, "a layer");
      error.hint = "write \"relu\" or { op = \"linear\", out_features = 8 }";
      return error;
    }
    LayerSpec spec{.location = location};
    for (const auto& [key, value] : *table)
      if (Status status = layer_key(spec, key.str(), value, number); !status)
        return std::move(status).error().note(location);
    if (Status status = check_layer(spec, *table, number); !status)
      return std::move(status).error().note(location);
    return spec;
  }

  Status layer_key(LayerSpec& spec, std::string_view key, const toml::node& value,
                   const std::string& number) {
    if (key == "op" || key == "type") {
      if (!spec.op.empty())
        return Error{.what = "op and type say the same thing twice", .hint = "keep one of them"};
      CH_TRY(spec.op, text(key, value));
    } else if (key == "name") {
      CH_TRY(spec.name, text(key, value));
      CH_CHECK(claim(spec, value));
    } else if (key == "input" || key == "inputs") {
      if (!spec.inputs.empty())
        return Error{.what = "input and inputs cannot both be given", .hint = "keep one of them"};
      CH_TRY(spec.inputs, names(key, value));
    } else if (key == "repeat") {
      CH_TRY(spec.repeat, count(key, value));
    } else if (key == "layers") {
      CH_TRY(spec.layers, layers(value, number + "."));
    } else {
      CH_TRY(spec.attrs[std::string(key)], attribute(key, value));
    }
    return {};
  }

  /// A name may be given once, must be a path of words, and must not be a reserved one.
  Status claim(const LayerSpec& spec, const toml::node& value) {
    const std::string& name = spec.name;
    const auto is_word = [](char c) {
      return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    const bool path =
        std::all_of(name.begin(), name.end(), [&](char c) { return is_word(c) || c == '.'; }) &&
        name.find("..") == std::string::npos && name.front() != '.' && name.back() != '.' &&
        (name.front() < '0' || name.front() > '9');
    if (!path) {
      Error error = wrong("name", value, "a name");
      error.hint = "letters, digits and _, with dots between parts: \"head.fc1\"";
      return error;
    }
    if (name == "x" || name == "previous" || name == "block" || name == "output" ||
        name == "seq_blocks" || name.starts_with("seq_blocks."))
      return Error{.what = cat("a layer cannot be called '", name, "'"),
                   .notes = {at(value)},
                   .hint = "x, previous, block, output and seq_blocks have their own meanings"};
    if (const auto [first, added] = claimed_.emplace(name, spec.location); !added)
      return Error{.what = cat("two layers are called '", name, "'"),
                   .notes = {cat("the first is ", first->second)},
                   .hint = "give one of them another name"};
    return {};
  }

  Result<std::vector<std::string>> names(std::string_view key, const toml::node& value) {
    std::vector<std::string> found;
    if (value.is_string()) {
      CH_TRY(found.emplace_back(), text(key, value));
      return found;
    }
    const toml::array* array = value.as_array();
    if (array == nullptr || array->empty())
      return wrong(key, value, "the name of an earlier layer or an array of names");
    for (const toml::node& item : *array) {
      CH_TRY(found.emplace_back(), text(key, item));
    }
    return found;
  }

  Result<Attr> attribute(std::string_view key, const toml::node& value) {
    if (const auto* flag = value.as_boolean()) return Attr(flag->get());
    if (const auto* whole = value.as_integer()) return Attr(whole->get());
    if (const auto* real = value.as_floating_point()) return Attr(real->get());
    if (const auto* words = value.as_string()) return Attr(words->get());
    const toml::array* array = value.as_array();
    if (array == nullptr)
      return wrong(key, value, "a number, a bool, a text or an array of numbers");
    Ints whole;
    std::vector<double> reals;
    for (const toml::node& item : *array) {
      if (!item.is_number()) return wrong(key, item, "a number");
      if (const auto* integer = item.as_integer()) whole.push_back(integer->get());
      reals.push_back(item.value_or(0.0));
    }
    if (whole.size() == reals.size()) return Attr(std::move(whole));
    return Attr(std::move(reals));
  }

  Status check_layer(const LayerSpec& spec, const toml::table& table, const std::string& number) {
    if (spec.layers.empty()) {
      if (spec.op.empty())
        return Error{.what = cat("layer ", number, " does not say which op it is"),
                     .hint = "add op = \"linear\", \"conv2d\", \"relu\" ...; `ch ops` lists all"};
      return {};
    }
    for (const auto& [key, value] : table)
      if (std::find(kBlockKeys.begin(), kBlockKeys.end(), key.str()) == kBlockKeys.end())
        return unknown_key(key.str(), value, "a block of layers", kBlockKeys);
    if (spec.inputs.size() > 1)
      return Error{.what = cat("a block of layers has one input, not ", spec.inputs.size())};
    return {};
  }

  std::string file_;
  std::map<std::string, std::string> claimed_;
};

}  // namespace

Result<NetworkSpec> read_network(std::string_view text, std::string_view file) {
  try {
    const toml::table root = toml::parse(text, file);
    return Reader(file).network(root);
  } catch (const toml::parse_error& problem) {
    return Error{.what = cat(file, ":", problem.source().begin.line,
                             " is not TOML: ", problem.description()),
                 .hint = "https://toml.io says how it is written"};
  }
}

Result<Graph> model_from_toml(std::string_view text, std::string_view file, const ModelArgs& args) {
  CH_TRY(const NetworkSpec network, read_network(text, file));
  return build_network(network, args);
}

Result<Graph> model_from_toml_file(const std::filesystem::path& path, const ModelArgs& args) {
  CH_TRY(const std::string text, read_file(path));
  return model_from_toml(text, path.string(), args);
}

}  // namespace chop::models

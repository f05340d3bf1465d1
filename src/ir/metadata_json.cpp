// Metadata as JSON, under the reference system's keys.

#include "ir/json.hpp"
#include "ir/json_fields.hpp"
#include "ir/stat_json.hpp"
#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop::ir {
namespace {

using TensorMetas = std::map<std::string, TensorMeta>;
using StatsByName = std::map<std::string, OperandStats>;

constexpr int kDTypeCount = static_cast<int>(DType::Bool) + 1;

Tree tensors_tree(const TensorMetas& tensors) {
  Tree::Table table;
  for (const auto& [name, meta] : tensors)
    table.emplace_back(to_utf8(name), Tree::Table{{"shape", meta.shape},
                                                  {"torch_dtype", torch_name_of(meta.dtype)},
                                                  {"type", to_utf8(meta.type)},
                                                  {"precision", meta.precision}});
  return table;
}

Tree stats_tree(const StatsByName& by_name) {
  Tree::Table table;
  for (const auto& [name, operand] : by_name) {
    Tree entry = Tree::Table{{"stat", tree_of(operand.stat)}};
    for (const auto& [key, value] : operand.extra) entry.set(to_utf8(key), tree_of(value));
    table.emplace_back(to_utf8(name), std::move(entry));
  }
  return table;
}

Result<DType> dtype_from_torch(const Tree& json, const std::string& path) {
  std::vector<std::string> known;
  for (int i = 0; i < kDTypeCount; ++i) {
    known.push_back(torch_name_of(static_cast<DType>(i)));
    if (json == Tree(known.back())) return static_cast<DType>(i);
  }
  Error error = unexpected(json, path, "the name of a torch dtype");
  error.hint = "one of " + join(known, ", ");
  return error;
}

Result<TensorMeta> tensor_from(const Tree& json, const std::string& path) {
  CH_CHECK(check_object(json, path, {"shape", "torch_dtype", "type", "precision"}));
  TensorMeta meta;
  CH_TRY(meta.shape, integers_from(json["shape"], path + ".shape"));
  CH_TRY(meta.dtype, dtype_from_torch(json["torch_dtype"], path + ".torch_dtype"));
  CH_TRY(meta.type, text_from(json["type"], path + ".type"));
  CH_TRY(meta.precision, integers_from(json["precision"], path + ".precision"));
  return meta;
}

bool describes_tensor(const Tree& json) {
  return json.is_table() && !json.contains("real") && !json.contains("reals");
}

Result<TensorMetas> tensors_from(const Tree& json, const std::string& path) {
  if (!json.is_table()) return unexpected(json, path, "an object");
  TensorMetas tensors;
  for (const auto& [key, value] : *json.as_table())
    if (describes_tensor(value)) {
      CH_TRY(tensors[from_utf8(key)], tensor_from(value, cat(path, ".", key)));
    }
  return tensors;
}

Result<Attrs> constants_from(const Tree& json, const std::string& path) {
  Tree::Table constants;
  for (const auto& [key, value] : *json.as_table())
    if (!describes_tensor(value)) constants.emplace_back(key, value);
  return attrs_from(constants, path);
}

Result<StatsByName> stats_from(const Tree& json, const std::string& path) {
  if (!json.is_table()) return unexpected(json, path, "an object");
  StatsByName by_name;
  for (const auto& [key, value] : *json.as_table()) {
    const std::string at = cat(path, ".", key);
    if (!value.is_table()) return unexpected(value, at, "an object");
    if (!value.contains("stat")) return Error{.what = cat(at, ": the key \"stat\" is missing")};
    OperandStats& operand = by_name[from_utf8(key)];
    CH_TRY(operand.stat, stats_from_json(value["stat"], at + ".stat"));
    Tree::Table extra;
    for (const auto& entry : *value.as_table())
      if (entry.first != "stat") extra.push_back(entry);
    CH_TRY(operand.extra, attrs_from(extra, at));
  }
  return by_name;
}

Result<CommonMeta> common_from(const Tree& json, const std::string& path) {
  CH_CHECK(check_object(json, path, {"mase_type", "mase_op", "args", "results"}));
  CommonMeta common;
  CH_TRY(common.mase_type, text_from(json["mase_type"], path + ".mase_type"));
  CH_TRY(common.mase_op, text_from(json["mase_op"], path + ".mase_op"));
  CH_TRY(common.args, tensors_from(json["args"], path + ".args"));
  CH_TRY(common.constants, constants_from(json["args"], path + ".args"));
  CH_TRY(common.results, tensors_from(json["results"], path + ".results"));
  if (common.results.size() != json["results"].size())
    return Error{.what = cat(path, ".results: every result must describe a tensor")};
  return common;
}

Result<std::vector<std::string>> texts_from(const Tree& json, const std::string& path) {
  if (!json.is_list()) return unexpected(json, path, "a list");
  std::vector<std::string> texts;
  for (const Tree& text : *json.as_list()) {
    CH_TRY(texts.emplace_back(), text_from(text, path));
  }
  return texts;
}

Tree interface_tree(const std::map<std::string, StorageMeta>& interface) {
  Tree tree = Tree::table();
  for (const auto& [name, meta] : interface)
    tree.set(to_utf8(name),
             Tree::Table{{"storage", to_utf8(meta.storage)}, {"transpose", meta.transpose}});
  return tree;
}

Result<std::map<std::string, StorageMeta>> interface_from(const Tree& json,
                                                          const std::string& path) {
  if (!json.is_table()) return unexpected(json, path, "an object");
  std::map<std::string, StorageMeta> interface;
  for (const auto& [key, value] : *json.as_table()) {
    const std::string at = cat(path, ".", key);
    CH_CHECK(check_object(value, at, {"storage", "transpose"}));
    StorageMeta& meta = interface[from_utf8(key)];
    CH_TRY(meta.storage, text_from(value["storage"], at + ".storage"));
    CH_TRY(meta.transpose, flag_from(value["transpose"], at + ".transpose"));
  }
  return interface;
}

/// What is not known is left out.
Tree hardware_tree(const HardwareMeta& hardware) {
  Tree tree = Tree::Table{{"is_implicit", hardware.is_implicit},
                          {"device_id", hardware.device_id},
                          {"toolchain", to_utf8(hardware.toolchain)},
                          {"module", to_utf8(hardware.module)}};
  if (!hardware.interface.empty()) tree.set("interface", interface_tree(hardware.interface));
  for (const std::string& file : hardware.dependence_files)
    tree["dependence_files"].push(to_utf8(file));
  for (const std::int64_t lanes : hardware.parallelism) tree["parallelism"].push(lanes);
  tree.set("verilog_param", tree_of(hardware.verilog_param));
  return tree;
}

Result<HardwareMeta> hardware_from(const Tree& json, const std::string& path) {
  CH_CHECK(check_object(json, path,
                        {"is_implicit", "device_id", "toolchain", "module", "verilog_param"},
                        {"interface", "dependence_files", "parallelism"}));
  HardwareMeta hardware;
  CH_TRY(hardware.is_implicit, flag_from(json["is_implicit"], path + ".is_implicit"));
  CH_TRY(hardware.device_id, integer_from(json["device_id"], path + ".device_id"));
  CH_TRY(hardware.toolchain, text_from(json["toolchain"], path + ".toolchain"));
  CH_TRY(hardware.module, text_from(json["module"], path + ".module"));
  if (json.contains("interface")) {
    CH_TRY(hardware.interface, interface_from(json["interface"], path + ".interface"));
  }
  if (json.contains("dependence_files")) {
    CH_TRY(hardware.dependence_files,
           texts_from(json["dependence_files"], path + ".dependence_files"));
  }
  if (json.contains("parallelism")) {
    CH_TRY(hardware.parallelism, integers_from(json["parallelism"], path + ".parallelism"));
  }
  CH_TRY(hardware.verilog_param, attrs_from(json["verilog_param"], path + ".verilog_param"));
  return hardware;
}

}  // namespace

Tree tree_of(const Metadata& meta) {
  Tree json = Tree::table();
  if (meta.common) {
    Tree args = tensors_tree(meta.common->args);
    for (const auto& [name, value] : meta.common->constants)
      args.set(to_utf8(name), tree_of(value));
    json["common"] = Tree::Table{{"mase_type", to_utf8(meta.common->mase_type)},
                                 {"mase_op", to_utf8(meta.common->mase_op)},
                                 {"args", std::move(args)},
                                 {"results", tensors_tree(meta.common->results)}};
  }
  if (meta.software)
    json["software"] = Tree::Table{{"args", stats_tree(meta.software->args)},
                                   {"results", stats_tree(meta.software->results)}};
  if (meta.hardware) json["hardware"] = hardware_tree(*meta.hardware);
  return json;
}

std::string to_json(const Metadata& meta) {
  return to_json(tree_of(meta));
}

Result<Metadata> metadata_from(const Tree& json, const std::string& path) {
  CH_CHECK(check_object(json, path, {}, {"common", "software", "hardware"}));
  Metadata meta;
  if (json.contains("common")) {
    CH_TRY(meta.common, common_from(json["common"], path + ".common"));
  }
  if (json.contains("software")) {
    const Tree& software = json["software"];
    CH_CHECK(check_object(software, path + ".software", {"args", "results"}));
    meta.software.emplace();
    CH_TRY(meta.software->args, stats_from(software["args"], path + ".software.args"));
    CH_TRY(meta.software->results, stats_from(software["results"], path + ".software.results"));
  }
  if (json.contains("hardware")) {
    CH_TRY(meta.hardware, hardware_from(json["hardware"], path + ".hardware"));
  }
  return meta;
}

Result<Metadata> metadata_from_json(std::string_view text) {
  CH_TRY(const Tree json, parse_json(text, "the metadata"));
  return metadata_from(json, "meta");
}

}  // namespace chop::ir

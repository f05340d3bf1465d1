// Metadata as JSON, under the reference system's keys.
#include <nlohmann/json.hpp>

#include "ir/json.hpp"
#include "ir/json_fields.hpp"
#include "ir/stat_json.hpp"
#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;
using TensorMetas = std::map<std::string, TensorMeta>;
using StatsByName = std::map<std::string, OperandStats>;

constexpr int kDTypeCount = static_cast<int>(DType::Bool) + 1;

OrderedJson tensors_json(const TensorMetas& tensors) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [name, meta] : tensors)
    json.push_back({to_utf8(name),
                    {{"shape", meta.shape},
                     {"torch_dtype", torch_name_of(meta.dtype)},
                     {"type", to_utf8(meta.type)},
                     {"precision", meta.precision}}});
  return json;
}

OrderedJson stats_json(const StatsByName& by_name) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [name, operand] : by_name) {
    OrderedJson entry = {{"stat", json_of(operand.stat)}};
    for (const auto& [key, value] : operand.extra) entry[to_utf8(key)] = json_of(value);
    json.push_back({to_utf8(name), std::move(entry)});
  }
  return json;
}

Result<DType> dtype_from_torch(const Json& json, const std::string& path) {
  std::vector<std::string> known;
  for (int i = 0; i < kDTypeCount; ++i) {
    known.push_back(torch_name_of(static_cast<DType>(i)));
    if (json == known.back()) return static_cast<DType>(i);
  }
  Error error = unexpected(json, path, "the name of a torch dtype");
  error.hint = "one of " + join(known, ", ");
  return error;
}

Result<TensorMeta> tensor_from(const Json& json, const std::string& path) {
  CH_CHECK(check_object(json, path, {"shape", "torch_dtype", "type", "precision"}));
  TensorMeta meta;
  CH_TRY(meta.shape, integers_from(json["shape"], path + ".shape"));
  CH_TRY(meta.dtype, dtype_from_torch(json["torch_dtype"], path + ".torch_dtype"));
  CH_TRY(meta.type, text_from(json["type"], path + ".type"));
  CH_TRY(meta.precision, integers_from(json["precision"], path + ".precision"));
  return meta;
}

bool describes_tensor(const Json& json) {
  return json.is_object() && !json.contains("real") && !json.contains("reals");
}

Result<TensorMetas> tensors_from(const Json& json, const std::string& path) {
  if (!json.is_object()) return unexpected(json, path, "an object");
  TensorMetas tensors;
  for (const auto& [key, value] : json.items())
    if (describes_tensor(value)) {
      CH_TRY(tensors[from_utf8(key)], tensor_from(value, cat(path, ".", key)));
    }
  return tensors;
}

Result<Attrs> constants_from(const Json& json, const std::string& path) {
  Json constants = Json::object();
  for (const auto& [key, value] : json.items())
    if (!describes_tensor(value)) constants[key] = value;
  return attrs_from(constants, path);
}

Result<StatsByName> stats_from(const Json& json, const std::string& path) {
  if (!json.is_object()) return unexpected(json, path, "an object");
  StatsByName by_name;
  for (const auto& [key, value] : json.items()) {
    const std::string at = cat(path, ".", key);
    if (!value.is_object()) return unexpected(value, at, "an object");
    if (!value.contains("stat")) return Error{.what = cat(at, ": the key \"stat\" is missing")};
    OperandStats& operand = by_name[from_utf8(key)];
    CH_TRY(operand.stat, stats_from_json(value["stat"], at + ".stat"));
    Json extra = value;
    extra.erase("stat");
    CH_TRY(operand.extra, attrs_from(extra, at));
  }
  return by_name;
}

Result<CommonMeta> common_from(const Json& json, const std::string& path) {
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

Result<HardwareMeta> hardware_from(const Json& json, const std::string& path) {
  CH_CHECK(check_object(json, path,
                        {"is_implicit", "device_id", "toolchain", "module", "verilog_param"}));
  HardwareMeta hardware;
  CH_TRY(hardware.is_implicit, flag_from(json["is_implicit"], path + ".is_implicit"));
  CH_TRY(hardware.device_id, integer_from(json["device_id"], path + ".device_id"));
  CH_TRY(hardware.toolchain, text_from(json["toolchain"], path + ".toolchain"));
  CH_TRY(hardware.module, text_from(json["module"], path + ".module"));
  CH_TRY(hardware.verilog_param, attrs_from(json["verilog_param"], path + ".verilog_param"));
  return hardware;
}

}  // namespace

OrderedJson json_of(const Metadata& meta) {
  OrderedJson json = OrderedJson::object();
  if (meta.common) {
    OrderedJson args = tensors_json(meta.common->args);
    for (const auto& [name, value] : meta.common->constants) args[to_utf8(name)] = json_of(value);
    json["common"] = {{"mase_type", to_utf8(meta.common->mase_type)},
                      {"mase_op", to_utf8(meta.common->mase_op)},
                      {"args", std::move(args)},
                      {"results", tensors_json(meta.common->results)}};
  }
  if (meta.software)
    json["software"] = {{"args", stats_json(meta.software->args)},
                        {"results", stats_json(meta.software->results)}};
  if (meta.hardware)
    json["hardware"] = {{"is_implicit", meta.hardware->is_implicit},
                        {"device_id", meta.hardware->device_id},
                        {"toolchain", to_utf8(meta.hardware->toolchain)},
                        {"module", to_utf8(meta.hardware->module)},
                        {"verilog_param", json_of(meta.hardware->verilog_param)}};
  return json;
}

std::string to_json(const Metadata& meta) {
  return json_of(meta).dump();
}

Result<Metadata> metadata_from(const Json& json, const std::string& path) {
  CH_CHECK(check_object(json, path, {}, {"common", "software", "hardware"}));
  Metadata meta;
  if (json.contains("common")) {
    CH_TRY(meta.common, common_from(json["common"], path + ".common"));
  }
  if (json.contains("software")) {
    const Json& software = json["software"];
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
  CH_TRY(const Json json, parse_json(text, "the metadata"));
  return metadata_from(json, "meta");
}

}  // namespace chop

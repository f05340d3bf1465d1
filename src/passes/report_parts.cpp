#include "passes/report_parts.hpp"

#include "support/system/files.hpp"

namespace chop::passes {
namespace {

using TensorMetas = std::map<std::string, TensorMeta>;
using StatsByName = std::map<std::string, OperandStats>;

Tree tree_of(const TensorMeta& meta) {
  return Tree::Table{{"shape", Tree(meta.shape)},
                     {"torch_dtype", torch_name_of(meta.dtype)},
                     {"type", meta.type},
                     {"precision", Tree(meta.precision)}};
}

Tree nested(const Tensor& tensor, std::size_t axis, std::int64_t& at) {
  if (axis == tensor.shape().size()) {
    const double value = tensor.at(at++);
    return is_floating(tensor.dtype()) ? Tree(value) : Tree(static_cast<std::int64_t>(value));
  }
  Tree list = Tree::list();
  for (std::int64_t i = 0; i < tensor.shape()[axis]; ++i) list.push(nested(tensor, axis + 1, at));
  return list;
}

Tree plain_tree(const StatValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  std::int64_t at = 0;
  return nested(std::get<Tensor>(value), 0, at);
}

Tree tree_of(const StatsByName& by_name) {
  Tree tree = Tree::table();
  for (const auto& [name, operand] : by_name) {
    Tree stats = Tree::table();
    for (const auto& [stat, values] : operand.stat) {
      Tree one = Tree::table();
      for (const auto& [key, value] : values) one.set(key, plain_tree(value));
      stats.set(stat, std::move(one));
    }
    Tree entry = Tree::Table{{"stat", std::move(stats)}};
    for (const auto& [key, value] : operand.extra) entry.set(key, chop::plain_tree(value));
    tree.set(name, std::move(entry));
  }
  return tree;
}

Tree tree_of(const TensorMetas& metas) {
  Tree tree = Tree::table();
  for (const auto& [name, meta] : metas) tree.set(name, tree_of(meta));
  return tree;
}

struct AttrTree {
  Tree operator()(const Ints& values) const { return Tree(values); }
  Tree operator()(const std::vector<double>& values) const {
    Tree list = Tree::list();
    for (const double value : values) list.push(value);
    return list;
  }
  Tree operator()(const auto& value) const { return Tree(value); }
};

}  // namespace

Field explain_arg() {
  return {.name = "explain",
          .initial = false,
          .doc = "add two lines on what the words in the report mean"};
}

std::string explain_columns() {
  return "Fx Node op: placeholder is an input, get_attr fetches a parameter, call_function calls a "
         "function (torch.add), call_method a method of a tensor (x.view), call_module a layer "
         "that owns its parameters, output is what the network returns.\n"
         "Mase type: module_related_func is a layer with a functional twin (linear, relu), module "
         "one without (batch_norm1d), builtin_func arithmetic between tensors (add, matmul), "
         "implicit_func only reshapes or moves data (flatten); placeholder, get_attr and output "
         "as above. Mase op is the operator itself.\n";
}

Tree plain_tree(const Attr& attr) {
  return std::visit(AttrTree{}, attr);
}

Tree tree_of(const CommonMeta& meta) {
  Tree args = tree_of(meta.args);
  for (const auto& [name, value] : meta.constants) args.set(name, plain_tree(value));
  return Tree::Table{{"mase_type", meta.mase_type},
                     {"mase_op", meta.mase_op},
                     {"args", std::move(args)},
                     {"results", tree_of(meta.results)}};
}

Tree tree_of(const SoftwareMeta& meta) {
  Tree tree = Tree::table();
  if (!meta.args.empty()) tree.set("args", tree_of(meta.args));
  tree.set("results", tree_of(meta.results));
  return tree;
}

Tree tree_of(const HardwareMeta& meta) {
  Tree params = Tree::table();
  for (const auto& [name, value] : meta.verilog_param) params.set(name, plain_tree(value));
  Tree interface = Tree::table();
  for (const auto& [name, kept] : meta.interface)
    interface.set(name, Tree::Table{{"storage", kept.storage}, {"transpose", kept.transpose}});
  return Tree::Table{
      {"is_implicit", meta.is_implicit},   {"device_id", meta.device_id},
      {"toolchain", meta.toolchain},       {"module", meta.module},
      {"interface", std::move(interface)}, {"dependence_files", meta.dependence_files},
      {"parallelism", meta.parallelism},   {"verilog_param", std::move(params)}};
}

Status deliver(std::string text, const std::string& name, const PassContext& context,
               PassOutput& output) {
  if (name.empty()) {
    if (!text.ends_with('\n')) text += '\n';
    output.text += text;
    return {};
  }
  const std::filesystem::path path = output_path(context, name);
  CH_CHECK(write_file(path, text));
  output.files.push_back(path);
  return {};
}

}  // namespace chop::passes

// What the report passes share: the flag `explain`, metadata as trees, writing to a file.
#pragma once

#include "passes/pass_def.hpp"

namespace chop::passes {

/// The flag `explain`, off by default.
Field explain_arg();
/// Two lines: what the opcodes of torch.fx are, what the types of the reference system are.
std::string explain_columns();

/// Metadata under the reference system's keys, as Python would hold it.
Tree tree_of(const CommonMeta& meta);
Tree tree_of(const SoftwareMeta& meta);
Tree tree_of(const HardwareMeta& meta);
/// An attribute; lists of numbers as lists.
Tree plain_tree(const Attr& attr);

/// Puts `text` where it belongs: into the file `name` when one is named, else into the
/// output's text, with a final newline.
Status deliver(std::string text, const std::string& name, const PassContext& context,
               PassOutput& output);

}  // namespace chop::passes

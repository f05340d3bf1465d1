// The tensors of a file of weights, for people and for programs.
#pragma once

#include "io/weights_file.hpp"
#include "report/table.hpp"

namespace chop::cli {

/// One row per tensor: name, shape, dtype, elements, bytes; at most `rows` of them.
Table tensors_table(const WeightsFile& file, std::size_t rows);

/// What the file is, how much it holds, and which part of it was taken.
std::string weights_header(const WeightsFile& file, const std::string& name,
                           std::uint64_t file_bytes);
/// Metadata, one entry a line; long texts are cut short.
std::string metadata_text(const WeightsFile& file);

Tree tree_of(const WeightsFile& file);

}  // namespace chop::cli

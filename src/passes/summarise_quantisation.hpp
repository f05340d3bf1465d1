// The tables of quantised nodes, as the passes quantize and summarize_quantization give them.
#pragma once

#include <filesystem>

#include "passes/pass_def.hpp"

namespace chop::passes {

/// Both tables as a pass gives them: the histogram as text, and with a folder
/// quantize_table.csv and quantize_histogram.csv in it.
Result<PassOutput> summarise_quantisation(const Graph& graph, const std::filesystem::path& folder,
                                          const PassContext& context);

}  // namespace chop::passes

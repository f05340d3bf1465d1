// Comparisons of networks as tables for people and Trees for programs.
#pragma once

#include "analysis/compare/compare.hpp"
#include "analysis/compare/compare_outputs.hpp"
#include "report/table.hpp"
#include "support/tree.hpp"
#include "train/evaluate.hpp"

namespace chop::cli {

/// Loss and accuracy of both networks on the same rows.
struct MetricsPair {
  Metrics before;
  Metrics after;
};

/// Node, Before, After, Format, Changed.
Table node_table(const Comparison& comparison);
/// Node, Operand, Format, Max error, MSE, SQNR, Clipped, To zero: trainable parameters, and
/// buffers where they differ.
Table operand_table(const Comparison& comparison);
/// Node, Shape, Max difference, MSE, SQNR, Different; the first node that differs is marked.
Table output_table(const OutputsComparison& outputs);
Table accuracy_table(const MetricsPair& metrics, const std::string& heading);

/// Nodes and parameters that only one side has or that do not fit, one line each.
std::string notes_text(const Comparison& comparison);
/// The bits of all weights before and after.
std::string totals_text(const Comparison& comparison);
/// What it costs in points of accuracy.
std::string accuracy_text(const MetricsPair& metrics);
/// Where the outputs first differ, and how many predictions agree.
std::string outputs_text(const OutputsComparison& outputs);

Tree tree_of(const Comparison& comparison);
Tree tree_of(const OutputsComparison& outputs);
Tree tree_of(const MetricsPair& metrics);

}  // namespace chop::cli

// Bits per value of inputs and weights, averaged over layers by their sizes.
#pragma once

#include "analysis/cost/cost.hpp"

namespace chop::analysis {

/// A mean of bits, weighted by elements, in both conventions.
struct MeanBits {
  double bits = 0;    ///< widths; what a block of values shares is divided among them
  double listed = 0;  ///< sums of precision lists, as the reference system counts
  double elements = 0;

  Status add(const Operand& operand);
  std::optional<double> mean(bool as_listed = false) const;
};

struct LayerBits {
  NodeId id{};
  std::optional<double> data;  ///< per value; nothing for an empty tensor
  std::optional<double> weight;
};

struct AverageBits {
  MeanBits data;     ///< of data_in_0
  MeanBits weights;  ///< of the first parameter a module trains, or of the second tensor a function
                     ///< reads
  std::vector<LayerBits> layers = {};
};

/// The ops that count where nobody says which do: linear layers, then convolutions.
std::vector<std::string> counted_ops();

/// Over the nodes whose op is one of `ops`; `types` are the graph's.
Result<AverageBits> average_bits(const Graph& graph, const Types& types,
                                 const std::vector<std::string>& ops);

}  // namespace chop::analysis

#include "hardware/proof/read_codes.hpp"

#include <set>

#include "hardware/proof/netlist_aig.hpp"

namespace chop::hardware {

ReadCodes::ReadCodes(const IntegerCall& call, const IntegerOpDef& op, const Netlist& netlist)
    : call_(call), op_(op), module_(netlist.top().name) {
  AigBuilder made(input_bits(netlist).size());
  for (const Literal bit : build_aig(netlist, made, inputs_in_range(netlist, made)))
    made.output(bit);
  aig_ = std::move(made).finish();
  for (const IntegerType* in : call_.in) {
    first_bits_.emplace_back();
    for (const Interval& range : in->ranges) {
      first_bits_.back().push_back(bits_);
      bits_ += static_cast<std::size_t>(width_of(range));
    }
  }
  for (const Output& output : netlist.top().outputs)
    widths_.push_back(width_of(netlist.top().range(output.wire)));
  values_.resize(aig_.nodes());
}

bool ReadCodes::is_cheap() const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < call_.size(); ++i) {
    int bits = 0;
    for (const Wired& read : op_.reads(call_, i)) bits += width_of(range_of(read));
    sum += bits <= kMostBits ? std::ssize(call_.type().ranges) << bits : kMostCodes;
  }
  return sum <= kMostCodes;
}

Result<std::int64_t> ReadCodes::run() {
  std::size_t output = 0;
  for (std::size_t i = 0; i < call_.size(); ++i) {
    const auto width = static_cast<std::size_t>(widths_[i]);
    CH_CHECK(element(i, std::span(aig_.outputs).subspan(output, width)));
    output += width;
  }
  return codes_;
}

Error ReadCodes::fault(std::size_t i, std::string_view what) const {
  return {.what = cat("element ", i, " of module ", module_, " ", what)};
}

/// The nodes that some literals depend on, inputs first.
std::vector<std::size_t> ReadCodes::cone(std::span<const Literal> outputs) const {
  std::set<std::size_t> found;
  std::vector<std::size_t> worklist;
  for (const Literal output : outputs) worklist.push_back(output / 2);
  while (!worklist.empty()) {
    const std::size_t node = worklist.back();
    worklist.pop_back();
    if (!found.insert(node).second || node < aig_.first_and()) continue;
    for (const Literal in : aig_.ands[node - aig_.first_and()]) worklist.push_back(in / 2);
  }
  return {found.begin(), found.end()};
}

Status ReadCodes::element(std::size_t i, std::span<const Literal> outputs) {
  const std::vector<Wired> reads = op_.reads(call_, i);
  std::vector<std::size_t> own;  // the nodes of its input bits
  for (const Wired& read : reads)
    for (int b = 0; b < width_of(range_of(read)); ++b)
      own.push_back(1 + first_bits_[read.input][read.element] + static_cast<std::size_t>(b));
  const std::vector<std::size_t> nodes = cone(outputs);
  for (const std::size_t node : nodes)
    if (node > 0 && node < aig_.first_and() && std::find(own.begin(), own.end(), node) == own.end())
      return fault(i, cat("reads more than its ", call_.node.op, " does"));
  for (std::uint64_t first = 0; first >> own.size() == 0; first += kLanes) {
    for (std::size_t b = 0; b < own.size(); ++b) values_[own[b]] = pattern_bits(first, b);
    for (const std::size_t node : nodes)
      if (node >= aig_.first_and()) {
        const auto& in = aig_.ands[node - aig_.first_and()];
        values_[node] = value(in[0]) & value(in[1]);
      }
    CH_CHECK(compare(i, reads, outputs, first, own.size()));
  }
  return {};
}

Status ReadCodes::compare(std::size_t i, std::span<const Wired> reads,
                          std::span<const Literal> outputs, std::uint64_t first, std::size_t bits) {
  std::vector<Codes> in;
  for (const IntegerType* type : call_.in) {
    in.emplace_back();
    for (const Interval& range : type->ranges) in.back().push_back(range.low);
  }
  std::vector<const Codes*> pointers;
  for (const Codes& codes : in) pointers.push_back(&codes);
  Codes wanted(call_.size());
  for (unsigned lane = 0; lane < kLanes && (first + lane) >> bits == 0; ++lane) {
    std::uint64_t pattern = first + lane;
    bool counts = true;
    for (const Wired& read : reads) {
      const Interval& range = range_of(read);
      const std::int64_t code = code_of_bits(range, pattern);
      counts = counts && range.holds(code);
      in[read.input][read.element] = std::clamp(code, range.low, range.high);
      pattern >>= static_cast<unsigned>(width_of(range));
    }
    if (!counts) continue;
    ++codes_;
    op_.evaluate(call_, pointers, wanted);
    for (std::size_t b = 0; b < outputs.size(); ++b)
      if ((value(outputs[b]) >> lane & 1U) != (static_cast<std::uint64_t>(wanted[i] >> b) & 1U))
        return fault(i, cat("is not ", wanted[i], " where its ", call_.node.op, " is"));
  }
  return {};
}

}  // namespace chop::hardware

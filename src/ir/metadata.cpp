#include "ir/metadata.hpp"

namespace chop::ir {
namespace {

bool same_bits(const std::map<std::string, StatValue>& a,
               const std::map<std::string, StatValue>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && chop::same_bits(x.second, y.second);
  });
}

bool same_bits(const Stats& a, const Stats& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && same_bits(x.second, y.second);
  });
}

}  // namespace

bool TensorMeta::operator==(const TensorMeta& other) const {
  return shape == other.shape && dtype == other.dtype && type == other.type &&
         precision == other.precision;
}

bool CommonMeta::operator==(const CommonMeta& other) const {
  return mase_type == other.mase_type && mase_op == other.mase_op && args == other.args &&
         chop::same_bits(constants, other.constants) && results == other.results;
}

bool OperandStats::operator==(const OperandStats& other) const {
  return same_bits(stat, other.stat) && chop::same_bits(extra, other.extra);
}

bool SoftwareMeta::operator==(const SoftwareMeta& other) const {
  return args == other.args && results == other.results;
}

bool HardwareMeta::operator==(const HardwareMeta& other) const {
  return is_implicit == other.is_implicit && device_id == other.device_id &&
         toolchain == other.toolchain && module == other.module && interface == other.interface &&
         dependence_files == other.dependence_files && parallelism == other.parallelism &&
         chop::same_bits(verilog_param, other.verilog_param);
}

Metadata::Metadata() = default;
Metadata::Metadata(const Metadata& other) = default;
Metadata::Metadata(Metadata&& other) noexcept = default;
Metadata& Metadata::operator=(const Metadata& other) = default;
Metadata& Metadata::operator=(Metadata&& other) noexcept = default;
Metadata::~Metadata() = default;

bool Metadata::operator==(const Metadata& other) const {
  return common == other.common && software == other.software && hardware == other.hardware;
}

}  // namespace chop::ir

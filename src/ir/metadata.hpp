// What analyses found about a node, under the reference system's names: common (types and shapes),
// software (statistics), hardware (placement).
#pragma once

#include <variant>

#include "ir/attr.hpp"
#include "tensor/tensor.hpp"

namespace chop::ir {

/// The number format of a value that nothing quantises: plain float32.
inline constexpr std::string_view kPlainFormat = "float";

/// One tensor operand or result as `common` describes it.
struct TensorMeta {
  Shape shape;
  DType dtype = DType::F32;
  std::string type{kPlainFormat};              ///< number format
  std::vector<std::int64_t> precision = {32};  ///< its widths, in the format's order

  bool operator==(const TensorMeta& other) const;
};

struct CommonMeta {
  std::string mase_type;
  std::string mase_op;
  std::map<std::string, TensorMeta> args = {};     ///< data_in_0, weight, bias, ...
  Attrs constants = {};                            ///< arguments that are not tensors: start_dim
  std::map<std::string, TensorMeta> results = {};  ///< data_out_0, ...

  bool operator==(const CommonMeta& other) const;
};

/// A number, a word such as "NA", or a tensor (F32 or I64) where there is one per element.
using StatValue = std::variant<std::int64_t, double, std::string, Tensor>;
bool same_bits(const StatValue& a, const StatValue& b);

/// stat name -> key -> value: {"range_min_max": {"min": -1.0, "max": 2.0}}
using Stats = std::map<std::string, std::map<std::string, StatValue>>;

/// What measurements say about one operand or result.
struct OperandStats {
  Stats stat = {};
  Attrs extra = {};  ///< beside `stat`: natural_sparsity, sparsity

  bool operator==(const OperandStats& other) const;
};

struct SoftwareMeta {
  std::map<std::string, OperandStats> args = {};
  std::map<std::string, OperandStats> results = {};

  bool operator==(const SoftwareMeta& other) const;
};

/// Where the hardware of a node keeps a parameter.
struct StorageMeta {
  std::string storage;  ///< "BRAM", "LUT"
  bool transpose = false;

  bool operator==(const StorageMeta&) const = default;
};

struct HardwareMeta {
  bool is_implicit = false;
  std::int64_t device_id = -1;
  std::string toolchain;
  std::string module;
  std::map<std::string, StorageMeta> interface = {};
  std::vector<std::string> dependence_files = {};
  std::vector<std::int64_t> parallelism = {};
  Attrs verilog_param;

  bool operator==(const HardwareMeta& other) const;
};

struct Metadata {
  std::optional<CommonMeta> common;
  std::optional<SoftwareMeta> software;
  std::optional<HardwareMeta> hardware;

  // Compiled once, in metadata.cpp: nodes carry these nested maps everywhere.
  Metadata();
  Metadata(const Metadata& other);
  Metadata(Metadata&& other) noexcept;
  Metadata& operator=(const Metadata& other);
  Metadata& operator=(Metadata&& other) noexcept;
  ~Metadata();

  bool empty() const { return !common && !software && !hardware; }
  bool operator==(const Metadata& other) const;
};

}  // namespace chop::ir

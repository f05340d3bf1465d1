// From a [passes.quantize.NAME.config] table to number formats for the operands of a node.
#pragma once

#include <set>

#include "analysis/operands.hpp"
#include "config/args.hpp"
#include "formats/format_def.hpp"

namespace chop::passes {

/// What a key of a table may be for: "weight" of "weight_width".
inline constexpr char kDataOut[] = "data_out";
inline constexpr std::array<std::string_view, 4> kOperandGroups = {"data_in", "weight", "bias",
                                                                   kDataOut};

/// All spellings of the keys of a format: for all operands, and for each of them.
std::vector<std::string> known_keys(const FormatDef& def);

/// One `config` table. Keys are the format's, behind the operand they are for
/// ("weight_width"); a key without operand is for all operands. An operand may have a format of
/// its own: `weight_name = "ternary"`, `data_in_name = "NA"`. An operand without keys gets
/// the format only when the format needs none and no other operand has any.
class QuantiseConfig {
 public:
  /// Checks the name and that every key is one of the format's.
  static Result<QuantiseConfig> read(const Tree& config, const ArgSource& source);

  /// `name = "NA"`: nodes are left as they are; so they are with `bypass = true`.
  bool does_nothing() const { return bypass_ || (format_.empty() && own_formats_.empty()); }
  const std::string& format() const { return format_; }

  /// Formats by operand name (data_in_0, weight ...). Keys to be calibrated from data are left out
  /// and named in `open_keys`. A missing required key is an error naming node and key.
  struct NodeFormats {
    std::map<std::string, NumberFormat> formats;
    std::map<std::string, std::string> open_keys;  ///< operand -> key to be calibrated
  };
  Result<NodeFormats> formats_for(const Node& node, const std::vector<Operand>& operands);

  /// Keys that fitted no node so far.
  std::vector<std::string> unused() const;
  /// The operands they are for: "weight" of "weight_width"; "" of a key for all operands.
  std::set<std::string> unused_operands() const;
  const ArgSource& source() const { return source_; }

 private:
  struct Key {
    std::string operand;  ///< "weight"; empty: all
    std::string name;     ///< "width"
    Tree value;
  };

  static std::string full_name(const Key& key);
  Status take_key(const std::string& key, const Tree& value);
  Status check_key(const Key& key) const;
  Status take_group(const Quantisable& wanted, const Node& node,
                    const std::vector<Operand>& operands, NodeFormats& found);
  Error located(Error error) const;
  /// The format of the operands of a group; nothing: they stay float.
  const FormatDef* format_of(std::string_view group) const;
  bool is_configured(std::string_view group) const;
  Result<NumberFormat> format_for(const FormatDef& def, const Quantisable& wanted,
                                  const Operand& operand, bool& open);

  ArgSource source_;
  std::string format_;
  std::map<std::string, std::string, std::less<>> own_formats_;  ///< by group; "" is float
  bool bypass_ = false;
  std::vector<Key> keys_;
  std::set<std::string> used_;
};

/// The operands a group of keys is for: data_in is every input of its own, weight the
/// parameter or else the second input.
std::vector<std::string> operands_of_group(const Node& node, std::string_view group);

}  // namespace chop::passes

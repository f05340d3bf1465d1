// All number formats, from the files of formats/defs, and what is known of a configured one.
#pragma once

#include "formats/format_def.hpp"

namespace chop::formats {

std::span<const FormatDef> all_formats();
/// By name or alias; the error names the nearest one.
Result<const FormatDef*> find_format(std::string_view name);

/// The complete configuration: defaults and derived keys filled in, everything checked.
Result<Config> complete_config(const FormatDef& def, const Attrs& given);
/// The same for a named format. Its name stays as it was written (an alias too).
Result<NumberFormat> complete(const NumberFormat& format);

/// The samples of a format, ready to be tried.
std::vector<NumberFormat> samples_of(const FormatDef& def);

/// What a key is where it is not given: "required", "derived", "none", or the default.
std::string shown_default(const FormatDef& def, const Field& key);
/// "integer(8, 4)": the precision list behind the name; other keys only where they are not
/// the default: "integer(8, 4, is_signed=False)".
std::string display(const NumberFormat& format);
/// The reference system's `precision` list: the keys it lists, in its order.
Result<std::vector<Attr>> precision_of(const NumberFormat& format);
/// "LinearInteger": a layer's class name in the reference system, for reports. `module` is
/// the class of the plain layer ("Linear"), or a function's name ("add": "add_integer").
std::string class_name(std::string_view module, const NumberFormat& format);

Result<Bits> bits_of(const NumberFormat& format);
/// All bits of a tensor, shared ones included.
Result<std::int64_t> total_bits(const NumberFormat& format, const Shape& shape);
Result<Range> range_of(const NumberFormat& format);

}  // namespace chop::formats

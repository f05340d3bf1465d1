// What formats have in common whose values share an exponent or a scale in groups.
#pragma once

#include "formats/numbers.hpp"

namespace chop::formats {

// Blocks over several dimensions that share a whole number: block_fp, block_log, block_minifloat.
Field exponent_bias_width_key();
Field block_size_key();
Field skip_first_dim_key();
/// Completes such a format: groups, what they measure and, unless it is given, how many bits they
/// take (exponent_bias_width for what they share). Its keys hold block_size and skip_first_dim.
FormatDef block_format(FormatDef format);

// Blocks along one dimension that share a power of two: mxint and mxfp.
Field row_block_size_key();
Field block_dim_key();
/// The bits of the shared exponent.
Field scale_bits_key(std::string_view name);
/// Completes such a format: groups and what they measure.
FormatDef row_block_format(FormatDef format);

// Rows, channels or tensors that share a float32 scale: affine, lsq_integer and scale_integer.
/// Completes such a format: the keys granularity (which is usually `usual`) and axis, groups, and
/// how many bits they take.
FormatDef granular_format(std::string_view usual, FormatDef format);
/// How ONNX writes such a format, whose key `scale` may give the scales; it knows no rows.
std::optional<OnnxForm> granular_onnx(const Config& config, std::string_view scale);
/// The codes themselves, which are the numbers where the scale is 1.
Range code_range(float low, float high);

}  // namespace chop::formats

// Batch normalisation: what its one- to three-dimensional forms and its gradient share.
#pragma once

#include "ops/core/common.hpp"

namespace chop::ops {

/// x [N, C, ...] as batch × channels × inner elements.
struct ChannelLayout {
  std::int64_t batch = 0;
  std::int64_t channels = 0;
  std::int64_t inner = 1;

  explicit ChannelLayout(const Shape& x) : batch(x[0]), channels(x[1]), inner(product(x, 2)) {}
  std::int64_t per_channel() const { return batch * inner; }

  /// Calls f(i) with the flat index of each element of channel c.
  template <class F>
  void for_each(std::int64_t c, F&& f) const {
    for (std::int64_t n = 0; n < batch; ++n)
      for (std::int64_t i = 0; i < inner; ++i) f((n * channels + c) * inner + i);
  }
};

/// Whether this call normalises with the statistics of its own batch.
bool uses_batch_statistics(const Call& call);

/// The attributes of a sample.
Attrs norm_attrs(std::int64_t features, Attrs more = {});
/// Completes batch_norm1d (rank 2 or 3), batch_norm2d (rank 4) and batch_norm3d (rank 5): all but
/// names and `dims`.
OpDef batch_norm_op(OpDef op);

}  // namespace chop::ops

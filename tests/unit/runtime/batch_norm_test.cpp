// Batch norms of rows, forward and backward, beside the reference in double: numbers of channels
// that are taken four vectors at a time, two, one, and in part, on every processor.
#include <gtest/gtest.h>

#include "support/planned.hpp"

namespace chop::test {
namespace {

TEST(BatchNorm, OfEveryNumberOfChannelsIsTheReference) {
  for (const std::int64_t channels : {1, 7, 8, 16, 17, 32, 33, 48, 64, 65, 100, 128, 131})
    for (const std::int64_t rows : {9, 256, 700}) {
      OpDef op = *find_op("batch_norm1d").value();
      op.samples = {{{{"num_features", channels}}, {{.shape = {rows, channels}}}}};
      const Question question = question_of({&op, 0}, /*training=*/true);
      const std::vector<Tensor> got = Planned(question, 1).run();
      SCOPED_TRACE(cat(channels, " channels of ", rows, " rows"));
      expect_close(got, run_in_double(question), question.names, 2e-5);
      expect_same_bits(got, Planned(question, 2).run(), question.names);
    }
}

}  // namespace
}  // namespace chop::test

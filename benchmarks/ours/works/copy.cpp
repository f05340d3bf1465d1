// What the memory of this machine can do: memcpy of one large block to another.
#include <cstring>
#include <memory>

#include "support/system/threads.hpp"
#include "work.hpp"

namespace chop::works {
namespace {

Result<PreparedWork> prepare(const WorkArgs& args) {
  const auto bytes = std::size_t(args.number("megabytes", 100)) * 1'000'000;
  const auto threads = int(args.number("threads", 1));
  const auto from = std::make_shared<std::vector<char>>(bytes, 1);
  const auto to = std::make_shared<std::vector<char>>(bytes);
  const Repeated copies([=] {
    const std::size_t each = bytes / std::size_t(threads);
    parallel_for(threads, threads, [&](std::int64_t task) {
      std::memcpy(to->data() + std::size_t(task) * each, from->data() + std::size_t(task) * each,
                  each);
    });
  });
  return PreparedWork{.measure = [copies, bytes]() -> Result<Numbers> {
    return Numbers{{"bytes", 2.0 * double(bytes) / copies.seconds()}};
  }};
}

}  // namespace

WorkDef copy() {
  return {.name = "copy",
          .doc = "megabytes=, threads=: bytes read and written per second by memcpy",
          .prepare = prepare};
}

}  // namespace chop::works

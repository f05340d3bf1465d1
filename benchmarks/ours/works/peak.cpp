// What the processor can do: large products through oneDNN, weights in the layout it likes
// best, in float32 and with 8-bit operands. The best of some sizes counts.
#include <omp.h>

#include <algorithm>
#include <vector>

#include "runtime/onednn.hpp"
#include "work.hpp"

namespace chop::works {
namespace {

using dnnl::memory;

class LargeProduct {
 public:
  LargeProduct(const dnnl::engine& engine, std::int64_t size, memory::data_type a,
               memory::data_type b, memory::data_type c)
      : stream_(engine), operations_(2.0 * double(size) * double(size) * double(size)) {
    const memory::dims dims = {size, size};
    const auto plain = memory::format_tag::ab;
    const memory::desc any(dims, b, memory::format_tag::any);
    const auto desc = describe_primitive<dnnl::matmul>(engine, dnnl::primitive_attr(),
                                                       memory::desc(dims, a, plain), any,
                                                       memory::desc(dims, c, plain));
    product_ = dnnl::matmul(desc);
    for (const auto& [argument, what] : {std::pair{DNNL_ARG_SRC, desc.src_desc()},
                                         {DNNL_ARG_WEIGHTS, desc.weights_desc()},
                                         {DNNL_ARG_DST, desc.dst_desc()}}) {
      const memory block(what, engine);
      std::fill_n(static_cast<char*>(block.get_data_handle()), what.get_size(), char{1});
      arguments_.insert({argument, block});
    }
  }
  /// Operations per second.
  double speed() {
    const double seconds = seconds_of([this] {
      product_.execute(stream_, arguments_);
      stream_.wait();
    });
    return operations_ / seconds;
  }

 private:
  dnnl::stream stream_;
  double operations_;
  dnnl::matmul product_;
  std::unordered_map<int, memory> arguments_;
};

double best_speed(std::vector<LargeProduct>& products) {
  double best = 0;
  for (LargeProduct& product : products)
    for (int i = 0; i < 3; ++i) best = std::max(best, product.speed());
  return best;
}

Result<PreparedWork> prepare(const WorkArgs& args) {
  const dnnl::engine& engine = onednn_engine();
  omp_set_num_threads(int(args.number("threads", 1)));  // behind it: it sets one thread for itself
  const auto floats = std::make_shared<std::vector<LargeProduct>>();
  const auto bytes = std::make_shared<std::vector<LargeProduct>>();
  using Type = memory::data_type;
  for (const std::int64_t size : {512, 1024, 1536}) {
    floats->emplace_back(engine, size, Type::f32, Type::f32, Type::f32);
    bytes->emplace_back(engine, size, Type::u8, Type::s8, Type::s32);
  }
  best_speed(*floats);
  best_speed(*bytes);
  return PreparedWork{.measure = [floats, bytes]() -> Result<Numbers> {
    return Numbers{{"f32", best_speed(*floats)}, {"int8", best_speed(*bytes)}};
  }};
}

}  // namespace

WorkDef peak() {
  return {.name = "peak",
          .doc = "threads=: operations per second of large products through oneDNN",
          .prepare = prepare};
}

}  // namespace chop::works

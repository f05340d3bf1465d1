// oneDNN, set up for one thread to a call: parallelism is ours, because the bits of a result must
// not depend on the number of threads.
#include "runtime/onednn.hpp"

#include <omp.h>
#include <sys/mman.h>

#include <new>
#include "runtime/kernel.hpp"
#include "support/system/simd_level.hpp"

namespace chop::runtime {
namespace {

/// Without AMX, whose kernels in version 2.6 may end in illegal instructions (onednn.hpp).
dnnl_cpu_isa_t most_allowed() {
  if (!is_simd_level_fixed()) return dnnl_cpu_isa_avx512_core_bf16;
  constexpr std::array<dnnl_cpu_isa_t, 3> kByLevel = {dnnl_cpu_isa_sse41, dnnl_cpu_isa_avx2,
                                                      dnnl_cpu_isa_avx512_core};
  return kByLevel.at(static_cast<std::size_t>(simd_level()));
}

/// Whether there is memory for what oneDNN is about to make; it does not ask itself.
bool has_room(std::size_t bytes) {
  void* const room =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();  // as any lack of memory
  munmap(room, bytes);
  return true;
}

}  // namespace

void prepare_onednn() {
  [[maybe_unused]] static const bool room = has_room(kOnednnRoom);
  // Fails only after the first primitive was made; what was made before runs all the same.
  [[maybe_unused]] static const dnnl_status_t once = dnnl_set_max_cpu_isa(most_allowed());
  [[maybe_unused]] thread_local const bool alone = (omp_set_num_threads(1), true);
}

const dnnl::engine& onednn_engine() {
  prepare_onednn();
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

dnnl::stream& onednn_stream() {
  thread_local dnnl::stream stream(onednn_engine());
  return stream;
}

dnnl::primitive_attr onednn_attributes() {
  prepare_onednn();  // primitives are made for the threads there are
  has_room(kOnednnRoomOfPrimitive);
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

bool onednn_has_exact_bytes() {
  prepare_onednn();
  const dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
  return isa == dnnl_cpu_isa_avx2_vnni || isa == dnnl_cpu_isa_avx512_core_vnni ||
         isa == dnnl_cpu_isa_avx512_core_bf16;
}

}  // namespace chop::runtime

// What all users of oneDNN share: one engine, on which every primitive runs on the thread that
// calls it.
#pragma once

#include "runtime/onednn_version.hpp"
#include "support/layers.hpp"

namespace chop::runtime {

/// To be called by a thread before anything else of oneDNN; the other functions here do. From then
/// on oneDNN uses that thread alone. Its AMX kernels are left out: those of version 2.6 end in
/// illegal instructions in virtual machines that do not describe the tiles of the processor.
void prepare_onednn();

const dnnl::engine& onednn_engine();

/// This thread's own.
dnnl::stream& onednn_stream();

/// Whether its sums of products of bytes are exact here: without VNNI, sums of two products
/// saturate.
bool onednn_has_exact_bytes();

/// Attributes of a primitive for one thread whose scratch memory the caller brings. Throws
/// std::bad_alloc where memory does not suffice to make one.
dnnl::primitive_attr onednn_attributes();

}  // namespace chop::runtime

// Matrix products C = A B: our own kernel where oneDNN's call would cost more than the work,
// oneDNN where the matrices are large.
#pragma once

#include <type_traits>

#include "support/layers.hpp"

namespace chop::runtime {

/// A reference to something that is called with rows [row, row + rows) of C when they are complete,
/// `row` being a multiple of 16, by the thread that computed them; it must outlive the reference.
/// None by default.
class RowsDone {
 public:
  RowsDone() = default;
  template <class Done>
  requires(!std::is_same_v<std::remove_cvref_t<Done>, RowsDone>)
      RowsDone(const Done& done)  // NOLINT(google-explicit-constructor)
      : object_(&done), call_([](const void* object, std::int64_t row, std::int64_t rows) {
          (*static_cast<const Done*>(object))(row, rows);
        }) {}
  explicit operator bool() const { return call_ != nullptr; }
  void operator()(std::int64_t row, std::int64_t rows) const { call_(object_, row, rows); }

 private:
  const void* object_ = nullptr;
  void (*call_)(const void*, std::int64_t, std::int64_t) = nullptr;
};

/// C [m, n] = Σ_k A(i, k) B(k, j). Element A(i, k) lies at a[i * a_row + k * a_col], so a
/// transposed operand is a swap of strides; likewise B. One of each pair of strides is 1.
/// C has unit column stride. `relu` clamps C at zero, `bias` (length n) is added first.
struct Gemm {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t a_row = 0, a_col = 1;
  std::int64_t b_row = 0, b_col = 1;
  std::int64_t c_row = 0;
  bool relu = false;
  bool accumulate = false;  ///< adds to what C holds; small products only
  /// Of small products: how many products of an element are added up in one go. The sums of such
  /// pieces are added in their order.
  std::int64_t longest = 1024;

  /// Whether oneDNN computes it, whose sums depend on the processor's vector width. Products with
  /// at most 8,192 numbers in B or in C (small weights, and their gradients) never are.
  bool is_large() const;
  /// "onednn" of large products, for Kernel.
  std::string_view backend() const { return is_large() ? "onednn" : ""; }

  /// Floats of scratch memory that run() needs.
  std::size_t scratch() const;
  void run(const float* a, const float* b, const float* bias, float* c, float* scratch,
           int threads) const;

  /// How many threads are worth having for all of a product of some microseconds; 1 for others.
  int parts(int threads) const;
  /// What one of `parts` threads has to do, without bias: other parts compute other elements.
  void run_part(const float* a, const float* b, float* c, int part, int parts) const;

  /// B as run_packed() wants it: worth keeping where B stays the same.
  std::shared_ptr<const float[]> pack(const float* b) const;
  /// The same bits as run().
  void run_packed(const float* a, const float* b, const float* packed, const float* bias, float* c,
                  int threads, const RowsDone& done = {}) const;
};

/// Columns of the panels and vectors that small products are made of, on this processor.
std::int64_t gemm_panel_floats();
std::int64_t gemm_vector_floats();

}  // namespace chop::runtime

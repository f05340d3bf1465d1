// A format made ready for tensors of one shape: quantise, encode, decode, differentiate.
#pragma once

#include "formats/format_def.hpp"
#include "formats/share_table.hpp"

namespace chop::formats {

/// What a run depends on beside its values.
struct QuantiseRun {
  std::span<const float> learned = {};  ///< one per group; empty: configured, or from the data
  std::uint64_t seed = 0;               ///< of random formats; differs from node to node
  std::uint64_t step = 0;
};

/// Whole numbers for the values, and what each group shares.
struct Encoded {
  Tensor codes;   ///< I64, of the values' shape
  Tensor shared;  ///< I64 or F32 with one entry per group; no entries without groups
};

class Quantiser {
 public:
  static Result<Quantiser> make(const NumberFormat& format, const Shape& shape);

  const FormatDef& def() const { return *def_; }
  const Config& config() const { return config_; }
  const Shape& shape() const { return shape_; }
  std::int64_t size() const { return count_; }
  /// Groups that share something; 0 when every value stands alone.
  std::int64_t groups() const { return tiles_ ? tiles_->groups() : 0; }
  /// Every value can be quantised by itself, so run_part() may be used, on any thread.
  bool is_elementwise() const;
  /// Results depend on the seed and the step of a run.
  bool is_random() const { return def_->is_random != nullptr && def_->is_random(config_); }
  /// The numbers that values go to, if all go to the same ones, which are equally spaced and known
  /// before the run: to the nearest, ties to even, unless their distance is a power of two.
  std::optional<Grid> grid() const;
  /// The same where they are a power of two apart.
  std::optional<Grid> fixed_point() const;
  /// Numbers that training learns: one per group of a learned format, else 0.
  std::int64_t learned_size() const { return def_->learned.empty() ? 0 : groups(); }

  /// y = q(x) for the whole tensor; x and y may be the same. Does not allocate.
  void run(const float* x, float* y, const QuantiseRun& run = {});
  /// The part [first, first + count) of an elementwise format. x and y are of the whole tensor.
  /// A learned format must be given what it learned, or have it configured.
  void run_part(const float* x, float* y, std::int64_t first, std::int64_t count,
                const QuantiseRun& run = {}) const;
  /// As run(), by the plain definition, value by value: the oracle of run().
  void run_plainly(const float* x, float* y, const QuantiseRun& run = {});

  /// NaN has no code: an error that says where it is.
  Result<Encoded> encode(const float* x, const QuantiseRun& run = {});
  Result<Tensor> decode(const Encoded& encoded) const;

  /// dL/dx from dL/dy, and dL/d(learned) when the format learns something (else empty). Fixed
  /// order of summation. dx may be dy.
  void gradient(const float* x, const float* dy, float* dx, std::span<const float> learned = {},
                std::span<float> d_learned = {});
  /// Where learning starts, given values: one number per group.
  std::vector<float> initial(const float* x);

 private:
  Quantiser(const FormatDef& def, Config config, Shape shape);

  /// Calls apply(element, offset, length) run by run, each element complete.
  template <class Apply>
  void visit(const float* x, const QuantiseRun& run, Apply apply);
  void measure(const float* x);
  /// Of all groups that have one; 1 when none has.
  float least_magnitude() const;
  /// Finds out whether run() may go block by block instead of sweep by sweep.
  void prepare_blocks();
  void run_blocks(const float* x, float* y);
  bool run_tiles(const float* x, float* y);
  void run_zeros(const float* x, float* y);
  void run_rows(const float* x, float* y);
  void find_learned(const float* x, std::span<const float> given);
  void find_initial(const float* x, std::span<float> values);
  void plain_run(const Element& element, const float* x, float* y, std::int64_t offset,
                 std::int64_t length) const;
  void fast_run(const Element& element, const float* x, float* y, std::int64_t offset,
                std::int64_t length) const;
  void learned_gradient(const float* x, const float* dy, float* dx, std::span<float> d_learned);

  const FormatDef* def_;
  Config config_;
  Shape shape_;
  std::int64_t count_;
  Element base_;
  std::optional<Tiles> tiles_;
  std::optional<Tiles::Bands> bands_;
  std::optional<formats::ShareTable> table_;  ///< of formats whose groups share a whole number
  std::vector<float> tile_;                   ///< some blocks of several rows, put side by side
  std::vector<float> configured_;             ///< learned numbers from the configuration
  std::vector<float> scratch_;  ///< per group: largest magnitude, or the learned number
  std::vector<double> sums_;    ///< per group
  std::vector<std::int64_t> counts_;
};

/// q(x) in one call; the tensor must be f32.
Result<Tensor> quantise(const NumberFormat& format, const Tensor& x, const QuantiseRun& run = {});

}  // namespace chop::formats

// record: all samples, one after the other.
//
// data = the samples joined along dimension 0, count = how many, size_in_bytes = 4 per element.
// Keeps everything: memory grows with the samples.
#include "analysis/statistics/kept_samples.hpp"

namespace chop::analysis::statistics::record {
namespace {

class Record : public Statistic {
 public:
  Record(const Shape& sample, bool new_dim)
      : kept_(static_cast<std::size_t>(numel(sample))), shape_(sample) {
    if (new_dim || shape_.empty()) shape_.insert(shape_.begin(), 1);
  }

  void update(const float* samples, std::int64_t count) override { kept_.add(samples, count); }

  StatResult result() const override {
    Shape shape = shape_;
    shape[0] *= kept_.count();
    Tensor data(DType::F32, shape);
    float* to = data.mutable_data<float>().data();
    kept_.visit([&](const float* from, std::int64_t rows) {
      to = std::copy_n(from, static_cast<std::size_t>(rows) * kept_.elements(), to);
    });
    return {{"data", std::move(data)},
            {"count", kept_.count()},
            {"size_in_bytes", kept_.size_in_bytes()}};
  }

 private:
  KeptSamples kept_;
  Shape shape_;  ///< of one sample, as it is joined to the others
};

Result<std::unique_ptr<Statistic>> make(const Args& args, const Shape& sample) {
  return std::unique_ptr<Statistic>(
      std::make_unique<Record>(sample, args.flag("add_new_dim_before_concat")));
}

}  // namespace

StatisticDef define() {
  return {.name = "record",
          .doc = "keep all samples (4 bytes per element)",
          .args = {device_arg(),
                   {.name = "add_new_dim_before_concat",
                    .initial = false,
                    .doc = "give each sample a new first dimension before they are joined"}},
          .make = make};
}

}  // namespace chop::analysis::statistics::record

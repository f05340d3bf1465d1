// Data sets: features and labels in three splits, by name or by path.
#pragma once

#include <filesystem>

#include "tensor/tensor.hpp"

namespace chop::data {

struct Split {
  Tensor x;                            ///< F32 [n, sample shape]
  Tensor y = Tensor(DType::I64, {0});  ///< I64 [n], 0 .. classes-1

  std::int64_t rows() const { return y.size(); }
};

struct Dataset {
  std::string name;
  Split train;
  Split validation;  ///< may share the tensors of train
  Split test;
  std::vector<std::string> class_names;
  std::vector<std::string> feature_names;  ///< empty where features have none (pixels)
  Shape sample_shape;                      ///< of one sample, without the batch
  std::int64_t num_classes = 0;
  bool synthetic = false;
  bool labelled = true;       ///< false: every label is 0 and means nothing; all rows are test rows
  std::int64_t in_file = 0;   ///< rows the file holds, used or not; 0: those of the splits
  std::vector<double> mean;   ///< what was subtracted from each feature; empty: nothing
  std::vector<double> scale;  ///< what it was then divided by
  std::vector<std::string> notes;  ///< INFO lines for the user
};

/// What passes look at: the train rows, or all there are in a file with only test rows.
inline const Split& calibration_rows(const Dataset& data) {
  return data.train.rows() > 0 ? data.train : data.test;
}

/// Rows of the data set, or of its file where only a part was taken.
std::int64_t total_rows(const Dataset& data);
/// "1,000 rows: 720 train, 80 validation, 200 test", "100 of 1,000 rows, all to test with".
std::string describe_rows(const Dataset& data);
/// "200 of 1,000 rows", "1,000 rows", "1 row".
std::string shown_rows(std::int64_t used, std::int64_t all);

/// Which rows validate: rows of their own, taken from the train rows; or the train rows
/// themselves, as the reference system does.
enum class Validation : std::uint8_t { Split, Train };
/// Their names ("split", "train"), in the same order.
std::vector<std::string_view> validation_names();
std::optional<Validation> parse_validation(std::string_view name);

struct DataOptions {
  /// The file or folder of a named data set; empty: the cache folder, or synthetic data.
  std::filesystem::path path = {};
  Validation validation = Validation::Split;
  double validation_fraction = 0.1;
  /// 0: the data set's own seeds (42 for jets and splits). Another value draws other
  /// synthetic jets and another 80/20 split. This is not the seed of the training, which
  /// must not change the data.
  std::uint64_t seed = 0;
  /// False: prepared data is neither read from nor written to the cache folder.
  bool use_cache = true;
  /// 0: all. Otherwise the first `rows` rows of a file (of each file of MNIST and CIFAR-10), or how
  /// many samples to generate.
  std::int64_t rows = 0;
  int threads = 0;  ///< 0: one per core
  /// Data sets by path: subtract the mean and divide by the standard deviation of the train
  /// rows. Off, because a file may have been standardised already; jsc always is.
  bool standardise = false;
  /// Data sets by path: every row is a test row, in the order of the file.
  bool whole = false;
  /// Data sets by path may be without labels: an .npy file alone, an .npz file with one array or
  /// one of a name of `inputs`, a CSV file of as many columns as `input_width`. Such a file is
  /// whole.
  bool labels_optional = false;
  std::vector<std::string> inputs = {};  ///< what the network calls its inputs
  std::int64_t input_width = 0;          ///< numbers in a sample of the network; 0: not known
  /// The inputs the network was trained with: every number becomes (x · scale - mean) / std.
  double input_scale = 1;
  double input_mean = 0;
  double input_std = 1;
};

/// A registered name (jsc, mnist, ...), or a path: CSV, ARFF, npy, npz, HDF5, or a folder with the
/// files of MNIST or CIFAR-10. Every number is checked to be finite, every label to be a
/// class.
///
/// Files by path are, unless `whole`, split 80/20 as scikit-learn's
/// train_test_split(random_state=42) does, unless they name their test rows themselves. In a CSV
/// the label is the column named label, class, target or y, else the last; text labels are numbered
/// in sorted order, or in the order of a registered data set with exactly those classes.
Result<Dataset> load_dataset(std::string_view name_or_path, const DataOptions& options = {});

}  // namespace chop::data

// Data sets in the four idx files of MNIST: images of 28 x 28 bytes and their labels, to train and
// to test.
#pragma once

#include "data/registry.hpp"

namespace chop::data {

/// Of `options.path` (a folder, or a file in it) or of the data set's folder; gzipped or not.
/// Pixels are scaled to 0 .. 1 as torchvision's ToTensor does.
Result<Dataset> load_idx_images(const std::string& name, std::vector<std::string> class_names,
                                const DataOptions& options);

struct IdxDownload {
  std::string sha256;
  std::uint64_t bytes = 0;
};
/// The four gzipped files below `url` (which ends in "/"), in the order train images, train labels,
/// test images, test labels.
std::vector<DataSource> idx_sources(const std::string& url,
                                    const std::array<IdxDownload, 4>& files);

}  // namespace chop::data

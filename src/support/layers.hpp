// A namespace for every folder of src/: chop::ir is src/ir. Two layers may use one word for two
// things (report::Column, search::Column); within a layer a name means one thing.
//
// From outside, names are found in chop as well, as long as only one layer has them: chop::Graph.
//
// Every header reaches this one, so it also provides the standard headers that most files need.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chop::support {}
namespace chop::config {}
namespace chop::tensor {}
namespace chop::ir {}
namespace chop::formats {}
namespace chop::ops {}
namespace chop::runtime {}
namespace chop::compile {}
namespace chop::io {}
namespace chop::onnx {}
namespace chop::models {}
namespace chop::data {}
namespace chop::train {}
namespace chop::report {}
namespace chop::compat {}
namespace chop::analysis {}
namespace chop::hardware {}
namespace chop::passes {}
namespace chop::search {}
namespace chop::cli {}

namespace chop {
using namespace support;
using namespace config;
using namespace tensor;
using namespace ir;
using namespace formats;
using namespace ops;
using namespace runtime;
using namespace compile;
using namespace io;
using namespace onnx;
using namespace models;
using namespace data;
using namespace train;
using namespace report;
using namespace compat;
using namespace analysis;
using namespace hardware;
using namespace passes;
using namespace search;
using namespace cli;
}  // namespace chop

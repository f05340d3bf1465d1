// What almost every file includes, compiled once (cmake/Layers.cmake). Headers that change often do
// not belong here: a change compiles everything again.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/graph.hpp"
#include "support/result.hpp"
#include "support/system/files.hpp"
#include "support/text.hpp"
#include "support/tree.hpp"
#include "tensor/tensor.hpp"

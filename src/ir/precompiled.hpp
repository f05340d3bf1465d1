// What almost every file includes, compiled once (cmake/Layers.cmake). Headers that change often do
// not belong here: a change compiles everything again.
#pragma once

#include <cstring>
#include <filesystem>
#include <functional>
#include <numeric>
#include <set>
#include <variant>

#include "ir/graph.hpp"
#include "support/result.hpp"
#include "support/system/files.hpp"
#include "support/text.hpp"
#include "support/tree.hpp"
#include "tensor/tensor.hpp"

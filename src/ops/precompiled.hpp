// What almost every file from the ops upwards includes, compiled once (cmake/Layers.cmake).
#pragma once

#include "ir/precompiled.hpp"
#include "ops/core/common.hpp"
#include "ops/core/infer.hpp"
#include "ops/core/registry.hpp"

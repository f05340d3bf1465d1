// What almost every file from the ops upwards includes, compiled once (cmake/Layers.cmake).
#pragma once

#include "ir/precompiled.hpp"
#include "ops/common.hpp"
#include "ops/infer.hpp"
#include "ops/registry.hpp"

// What almost every test includes, compiled once.
#pragma once

#include <gtest/gtest.h>

#include "ops/precompiled.hpp"

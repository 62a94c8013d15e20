// What nearly every test includes, compiled once (cmake/pch.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmake/pch.h"

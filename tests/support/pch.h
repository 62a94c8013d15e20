// What nearly every test includes, compiled once (cmake/pch.h).

#ifndef GYRE_TESTS_SUPPORT_PCH_H_
#define GYRE_TESTS_SUPPORT_PCH_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmake/pch.h"

#endif  // GYRE_TESTS_SUPPORT_PCH_H_

// Every backend gives the bits that the reference gives: the same checks for
// all of them.

#include "tests/support/conformance.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/support/backends.h"

namespace gyre::internal::inline tests {
namespace {

using Param = std::tuple<std::string, int, ConformanceCase>;

class ConformanceTest : public testing::TestWithParam<Param> {};

TEST_P(ConformanceTest, Bits) {
  const auto& [backend, ranks, check] = GetParam();
  EXPECT_EQ(RunOn(backend, ranks, check.check), OkStatus());
}

std::string ParamName(const testing::TestParamInfo<Param>& info) {
  return Cat(std::get<0>(info.param),
             std::get<1>(info.param),
             std::get<2>(info.param).name);
}

INSTANTIATE_TEST_SUITE_P(Backends,
                         ConformanceTest,
                         testing::Combine(testing::ValuesIn(kAllBackends),
                                          testing::Values(1, 2, 3, 4, 8),
                                          testing::ValuesIn(kConformance)),
                         ParamName);

}  // namespace
}  // namespace gyre::internal::inline tests

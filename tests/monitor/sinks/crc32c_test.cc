#include "gyre/monitor/sinks/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace gyre::internal::inline tests {
namespace {

// The examples of RFC 3720, appendix B.4.
TEST(Crc32c, AgreesWithTheStandard) {
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(Crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
  EXPECT_EQ(Crc32c(""), 0u);
}

TEST(Crc32c, TheMaskTurnsAndShifts) {
  EXPECT_EQ(MaskedCrc32c(""), 0xA282EAD8u);
}

}  // namespace
}  // namespace gyre::internal::inline tests

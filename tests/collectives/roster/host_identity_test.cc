#include "gyre/collectives/roster/host_identity.h"

#include <gtest/gtest.h>

#include "gyre/core/program.h"

namespace gyre {
namespace {

TEST(HostIdentity, IsTheSameEachTime) {
  const HostIdentity host = ReadHostIdentity();
  EXPECT_EQ(host.key.size(), 16u);
  EXPECT_EQ(host.key, ReadHostIdentity().key);
  EXPECT_FALSE(host.name.empty());
}

TEST(HostIdentity, TheProgramIsKnown) {
  const ProgramIdentity program = ReadProgramIdentity();
  EXPECT_EQ(program.build.size(), 16u);
  EXPECT_NE(program.build, "0000000000000000");
  EXPECT_EQ(program.isa, ReadProgramIdentity().isa);
}

}  // namespace
}  // namespace gyre

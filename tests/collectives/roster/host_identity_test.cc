#include "gyre/collectives/roster/host_identity.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>

#include "gyre/core/program.h"

namespace gyre::internal::inline tests {
namespace {

TEST(HostIdentity, IsTheSameEachTime) {
  const HostIdentity host = ReadHostIdentity();
  EXPECT_EQ(host.key.size(), 16u);
  EXPECT_EQ(host.key, ReadHostIdentity().key);
  EXPECT_FALSE(host.name.empty());
}

// Whether a child that has gone through `change` is on the host of this one;
// nothing where it may not change.
std::optional<bool> ChildIsHere(const std::function<bool()>& change) {
  enum { kHere, kElsewhere, kMayNot };
  const std::string key = ReadHostIdentity().key;
  const pid_t child = ::fork();
  if (child == 0) {
    if (!change()) std::_Exit(kMayNot);
    std::_Exit(ReadHostIdentity().key == key ? kHere : kElsewhere);
  }
  int state = 0;
  ::waitpid(child, &state, 0);
  if (!WIFEXITED(state) || WEXITSTATUS(state) == kMayNot) return std::nullopt;
  return WEXITSTATUS(state) == kHere;
}

TEST(HostIdentity, AnotherUserOrUserNamespaceSharesNoMemory) {
  EXPECT_EQ(ChildIsHere([] { return true; }), true);
  const auto user = ChildIsHere([] { return ::seteuid(65'534) == 0; });
  const auto space = ChildIsHere([] { return ::unshare(CLONE_NEWUSER) == 0; });
  if (!user.has_value() && !space.has_value()) {
    GTEST_SKIP() << "this process may change neither";
  }
  EXPECT_NE(user, true);
  EXPECT_NE(space, true);
}

TEST(HostIdentity, TheProgramIsKnown) {
  const ProgramIdentity program = ReadProgramIdentity();
  EXPECT_EQ(program.build.size(), 16u);
  EXPECT_NE(program.build, "0000000000000000");
  EXPECT_EQ(program.isa, ReadProgramIdentity().isa);
}

}  // namespace
}  // namespace gyre::internal::inline tests

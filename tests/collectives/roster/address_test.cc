#include "gyre/collectives/roster/address.h"

#include <gtest/gtest.h>

#include "tests/support/deaf_listener.h"

namespace gyre::internal::inline tests {
namespace {

TEST(Address, FormsAreTold) {
  struct Case {
    const char* text;
    Address::Kind kind;
    const char* host;
    int port;
    bool local;
    const char* dial;
    const char* listen;
  };
  using Kind = Address::Kind;
  const Case cases[] = {
      {"127.0.0.1:29400",
       Kind::kIpv4,
       "127.0.0.1",
       29400,
       true,
       "ipv4:127.0.0.1:29400",
       "127.0.0.1:29400"},
      {"10.1.2.3:1",
       Kind::kIpv4,
       "10.1.2.3",
       1,
       false,
       "ipv4:10.1.2.3:1",
       "10.1.2.3:1"},
      {"[::1]:80", Kind::kIpv6, "::1", 80, true, "ipv6:[::1]:80", "[::1]:80"},
      {"[fd00::2]:81",
       Kind::kIpv6,
       "fd00::2",
       81,
       false,
       "ipv6:[fd00::2]:81",
       "[fd00::2]:81"},
      {"node1:29400",
       Kind::kName,
       "node1",
       29400,
       false,
       "dns:///node1:29400",
       "[::]:29400"},
      {"localhost:5",
       Kind::kName,
       "localhost",
       5,
       true,
       "dns:///localhost:5",
       "localhost:5"},
      {"unix-abstract:run",
       Kind::kUnix,
       "run",
       0,
       true,
       "unix-abstract:run",
       "unix-abstract:run"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto address = Address::Parse(c.text);
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(address->kind, c.kind);
    EXPECT_EQ(address->host, c.host);
    EXPECT_EQ(address->port, c.port);
    EXPECT_EQ(address->local(), c.local);
    EXPECT_EQ(address->Text(), c.text);
    EXPECT_EQ(address->DialTarget(), c.dial);
    EXPECT_EQ(address->ListenTarget(), c.listen);
  }
}

TEST(Address, OtherTextsAreRefused) {
  for (const char* text : {"",
                           ":",
                           "node1",
                           "node1:",
                           ":80",
                           "node1:x",
                           "node1:70000",
                           "fd00::2:81",
                           "[node1]:80",
                           "[fd00::2]",
                           "node1:80x",
                           "node1:-1"}) {
    EXPECT_FALSE(Address::Parse(text).ok()) << text;
  }
}

TEST(Address, PeersAreUnderstood) {
  EXPECT_EQ(Address::OfPeer("ipv4:10.0.0.2:5")->Text(), "10.0.0.2:5");
  EXPECT_EQ(Address::OfPeer("ipv6:%5Bfd00::1%5D:5")->Text(), "[fd00::1]:5");
  EXPECT_EQ(Address::OfPeer("ipv6:[::1]:5")->Text(), "[::1]:5");
  EXPECT_EQ(Address::OfPeer("ipv6:%5B::ffff:10.0.0.2%5D:5")->Text(),
            "10.0.0.2:5");
  EXPECT_TRUE(Address::OfPeer("unix:")->local());
  EXPECT_FALSE(Address::OfPeer("nothing").ok());
  EXPECT_FALSE(Address::OfPeer("ipv6:%5B%5D").ok());
}

TEST(Address, TheReasonForNotListeningIsTold) {
  const DeafListener other;
  EXPECT_EQ(WhyNotListen(*Address::Parse(Cat("127.0.0.1:", other.port()))),
            "the port is taken by another process");
  EXPECT_EQ(WhyNotListen(*Address::Parse("192.0.2.1:4000")),
            "no address of this machine");
}

}  // namespace
}  // namespace gyre::internal::inline tests

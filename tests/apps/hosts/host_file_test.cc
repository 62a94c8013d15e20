#include "apps/gyre/launch/hosts/host_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

TEST(HostFileTest, NamesSlotsAndAddresses) {
  const auto hosts = ParseHosts(
      "# ours\n\nnode1 slots=4\n  node2  # the old one\n"
      "node3 address=10.0.0.3 slots=2\n",
      "hosts");
  ASSERT_TRUE(hosts.ok()) << hosts.status();
  ASSERT_EQ(hosts->size(), 3u);
  EXPECT_EQ((*hosts)[0].name, "node1");
  EXPECT_EQ((*hosts)[0].slots, 4);
  EXPECT_EQ((*hosts)[0].address, "node1");
  EXPECT_EQ((*hosts)[1].slots, 1);
  EXPECT_EQ((*hosts)[2].address, "10.0.0.3");
}

TEST(HostFileTest, MistakesAreNamedWithTheirLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "no host"},
      {"# nobody\n", "no host"},
      {"a\nb slots=0\n", "hosts:2: \"b slots=0\""},
      {"a slots=many\n", "hosts:1:"},
      {"a 4\n", "hosts:1:"},
      {"a address=\n", "hosts:1:"},
      {"-oProxyCommand=x\n", "hosts:1:"},
      {"a\na\n", "hosts:2: a is listed twice"}};
  for (const auto& [text, expected] : cases) {
    const auto hosts = ParseHosts(text, "hosts");
    ASSERT_FALSE(hosts.ok()) << text;
    EXPECT_EQ(KindOf(hosts.status()), ErrorKind::kConfig);
    EXPECT_THAT(Message(hosts.status()), testing::HasSubstr(expected));
  }
}

TEST(HostFileTest, HostsAreFilledInTheirOrder) {
  const std::vector<Host> hosts = {{"a", 2, "a"}, {"b", 3, "b"}, {"c", 1, "c"}};
  const auto all = ShareOut(hosts, 0);
  ASSERT_TRUE(all.ok() && all->size() == 3);
  EXPECT_EQ((*all)[1].first_rank, 2);
  EXPECT_EQ((*all)[1].ranks, 3);
  EXPECT_EQ((*all)[2].first_rank, 5);
  const auto some = ShareOut(hosts, 3);
  ASSERT_TRUE(some.ok() && some->size() == 2);
  EXPECT_EQ((*some)[1].ranks, 1);
  const auto many = ShareOut(hosts, 7);
  ASSERT_FALSE(many.ok());
  EXPECT_THAT(Message(many.status()),
              testing::HasSubstr("7 ranks, but the hosts have 6 slots"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

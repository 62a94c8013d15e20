#include "gyre/collectives/local/local_space.h"

#include <gtest/gtest.h>

#include <memory>

namespace gyre::internal::inline tests {
namespace {

TEST(LocalSpaceTest, AnAddressIsItsOwnLocation) {
  const auto memory = std::make_shared<LocalMemory>(2);
  LocalSpace first(memory, 0);
  LocalSpace second(memory, 1);
  EXPECT_EQ(first.backend(), "local");
  EXPECT_EQ(second.rank(), 1);
  EXPECT_EQ(first.ranks(), 2);
  int x = 0;
  EXPECT_EQ(second.At(first.Find(&x, sizeof x)),
            reinterpret_cast<std::byte*>(&x));
}

TEST(LocalSpaceTest, WhatOneReservesTheOtherMaps) {
  const auto memory = std::make_shared<LocalMemory>(2);
  LocalSpace first(memory, 0);
  LocalSpace second(memory, 1);
  const auto location = first.Reserve(1000);
  ASSERT_TRUE(location.ok());
  const auto data = second.Map(*location, 1000);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ((*data)[999], std::byte{0});
  EXPECT_EQ(first.Find(*data, 1000), *location);
}

TEST(LocalSpaceTest, LeavesTheWorldWhenItGoes) {
  const auto memory = std::make_shared<LocalMemory>(1);
  { LocalSpace space(memory, 0); }
  EXPECT_EQ(memory->header().peer(0).state.load(),
            static_cast<std::uint32_t>(PeerState::kLeft));
}

}  // namespace
}  // namespace gyre::internal::inline tests

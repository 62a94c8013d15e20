#include "gyre/train/data/epoch_order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>
#include <vector>

namespace gyre::internal::inline tests {
namespace {

TEST(EpochOrder, AFunctionIsAnOrderAndHasItsInverse) {
  for (const std::int64_t n : {1, 2, 3, 5, 16, 17, 1000, 65536, 100'001}) {
    const KeyedOrder order(n, {.seed = 3, .step = 1});
    std::vector<bool> seen(n);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t at = order.At(i);
      ASSERT_TRUE(at >= 0 && at < n && !seen[at]) << n << " " << i;
      seen[at] = true;
      ASSERT_EQ(order.PlaceOf(at), i);
    }
  }
}

// Neighbours are no neighbours, numbers do not follow their places, and other
// epochs have other orders. Bounds: five standard deviations of a random order.
TEST(EpochOrder, AFunctionLooksRandom) {
  constexpr std::int64_t n = 100'001;
  const KeyedOrder order(n, {.seed = 3}), other(n, {.seed = 3, .step = 1});
  double product = 0, near = 0, same = 0, odd = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double place = (i + 0.5) / n - 0.5;
    product += place * ((order.At(i) + 0.5) / n - 0.5);
    near += i > 0 && std::abs(order.At(i) - order.At(i - 1)) <= 50;
    same += order.At(i) == other.At(i);
    odd += (order.At(i) ^ i) & 1;
  }
  EXPECT_LT(std::abs(12 * product / n), 5 / std::sqrt(n));
  EXPECT_NEAR(near, 100, 5 * std::sqrt(100));
  EXPECT_LE(same, 8);
  EXPECT_NEAR(odd, n / 2.0, 5 * std::sqrt(n) / 2);
}

// The function keeps what the list promises of samples that are left out.
TEST(EpochOrder, WhatIsLeftOutIsReplacedInListsAndFunctions) {
  constexpr std::int64_t n = 42, batch = 4;
  const std::set<std::int64_t> out = {3, 17, 18, 40};
  for (const std::int64_t longest : {0, 100}) {
    const EpochOrder::Options options = {.samples = n,
                                         .batch = batch,
                                         .key = {.seed = 7},
                                         .longest_list = longest};
    const EpochOrder all(options);
    EpochOrder::Options fewer = options;
    fewer.left_out = out;
    const EpochOrder order(fewer);
    std::size_t replaced = 0;
    for (std::int64_t first = 0; first + batch <= n; first += batch) {
      std::set<std::int64_t> in_batch;
      for (std::int64_t i = first; i < first + batch; ++i) {
        EXPECT_EQ(out.count(order[i]), 0u);
        EXPECT_TRUE(in_batch.insert(order[i]).second);
        const bool was_out = out.count(all[i]) > 0;
        replaced += was_out;
        EXPECT_EQ(was_out || order[i] == all[i], true);
      }
    }
    EXPECT_EQ(order.replaced().size(), replaced);
    EXPECT_GE(replaced, 2u);
  }
}

TEST(EpochOrder, AHundredMillionSamplesTakeNoMemory) {
  const EpochOrder order({.samples = 100'000'000,
                          .batch = 32,
                          .key = {.seed = 1},
                          .left_out = {5, 99'999'999}});
  std::set<std::int64_t> seen;
  for (std::int64_t i = 0; i < 10'000; ++i) {
    const std::int64_t sample = order[i * 9'999];
    EXPECT_TRUE(sample >= 0 && sample < 100'000'000);
    EXPECT_TRUE(seen.insert(sample).second);
  }
  EXPECT_LE(order.replaced().size(), 2u);
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/monitor/spikes/median_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gyre/core/rng.h"
#include "gyre/monitor/spikes/robust.h"

namespace gyre::internal::inline tests {
namespace {

// What the window keeps up to date, computed anew.
void ExpectMedians(const MedianWindow& w, std::size_t newest) {
  const std::vector<double> all(w.values().begin(), w.values().end());
  const auto half = all.begin() + all.size() / 2;
  EXPECT_EQ(w.older(), MedianOf({all.begin(), half}));
  EXPECT_EQ(w.newer(), MedianOf({half, all.end()}));
  EXPECT_EQ(w.newest(),
            MedianOf({all.end() - std::min(all.size(), newest), all.end()}));
}

TEST(MedianWindow, KeepsTheMediansOfWhatItHolds) {
  const Rng rng({.seed = 3});
  for (const std::size_t most : {1, 2, 5, 32, 33}) {
    MedianWindow w(most, 8);
    for (int i = 0; i < 200; ++i) {
      // Many are equal.
      w.Push(std::round(4 * rng.Normal(i)));
      EXPECT_EQ(w.size(), std::min<std::size_t>(most, i + 1));
      ExpectMedians(w, 8);
    }
  }
}

TEST(MedianWindow, GivesBackTheLast) {
  MedianWindow w(16, 4);
  for (int i = 0; i < 20; ++i) w.Push(i);
  w.PopBack();
  w.PopBack();
  EXPECT_EQ(w.back(), 17);
  ExpectMedians(w, 4);
  w.Push(40);
  ExpectMedians(w, 4);
  w.Clear();
  EXPECT_EQ(w.size(), 0u);
  w.Push(1);
  ExpectMedians(w, 4);
}

TEST(MedianWindow, TakesTheLastOfALongHistory) {
  MedianWindow w(4, 2);
  w.Assign({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(w.size(), 4u);
  EXPECT_EQ(w.older(), 3.5);
  ExpectMedians(w, 2);
}

TEST(MedianMagnitude, DoesNotDependOnTheGuess) {
  const Rng rng({.seed = 4});
  std::vector<double> scratch;
  for (const int n : {0, 1, 2, 3, 64, 127, 128}) {
    std::vector<double> values(n);
    for (int i = 0; i < n; ++i) values[i] = rng.Normal(100 * n + i);
    const double right = MadOf(values, 0);
    for (const double guess : {0.0, 0.01, 0.6, right, 1.5, 1e9}) {
      EXPECT_EQ(MedianMagnitude(values, guess, scratch), right) << n;
    }
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/train/step/reduce_buckets.h"

#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

optim::FlatLayout LayoutOverlap(const std::vector<std::int64_t>& sizes) {
  optim::FlatLayout layout;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_TRUE(layout.Add(Cat("t", i), Shape({sizes[i]})).ok());
  }
  return layout;
}

TEST(Overlap, BucketsCoverTheLayout) {
  for (const std::size_t bytes : {1u, 100u, 1000u, 1000000u}) {
    const optim::FlatLayout layout = LayoutOverlap({16, 160, 3, 64, 32});
    std::int64_t offset = 0;
    int tensor = 0;
    for (const GradientBucket& bucket : CutIntoBuckets(layout, bytes)) {
      EXPECT_EQ(bucket.offset, offset);
      EXPECT_EQ(bucket.begin, tensor);
      if (bucket.begin > 0) {
        EXPECT_GE(bucket.count * sizeof(float), bytes);
      }
      offset += bucket.count;
      tensor = bucket.end;
    }
    EXPECT_EQ(offset, layout.elements());
    EXPECT_EQ(tensor, layout.count());
  }
}

TEST(Overlap, LargeTensorsHaveABucketEach) {
  EXPECT_EQ(CutIntoBuckets(LayoutOverlap({1024, 1024, 16, 1024}), 4096).size(),
            3u);
  EXPECT_EQ(CutIntoBuckets(LayoutOverlap({1024, 1024}), 1 << 20).size(), 1u);
}

}  // namespace
}  // namespace gyre::internal::inline tests

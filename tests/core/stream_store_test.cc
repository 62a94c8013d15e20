#include "gyre/core/stream_store.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "gyre/core/aligned.h"

namespace gyre::internal::inline tests {
namespace {

TEST(StreamStore, WritesWhatAStoreWrites) {
  constexpr std::int64_t kCount = 4096;
  const AlignedBuffer buffer = AllocateAligned(kCount * sizeof(float));
  auto* p = reinterpret_cast<float*>(buffer.get());
  for (std::int64_t i = 0; i < kCount; i += kLanes<float>) {
    StreamStore(p + i, FloatBatch(static_cast<float>(i)));
  }
  FinishStreamStores();
  for (std::int64_t i = 0; i < kCount; ++i) {
    const auto lanes = static_cast<std::int64_t>(kLanes<float>);
    ASSERT_EQ(p[i], static_cast<float>(i / lanes * lanes)) << i;
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

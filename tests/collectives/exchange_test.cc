#include "gyre/collectives/exchange.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/support/reference.h"

namespace gyre::internal::inline tests {
namespace {

Exchange Make(CollectiveKind kind,
              const void* in,
              void* out,
              std::size_t count) {
  Exchange exchange;
  exchange.kind = kind;
  exchange.dtype = DType::kI32;
  exchange.in = static_cast<const std::byte*>(in);
  exchange.out = static_cast<std::byte*>(out);
  exchange.count = count;
  return exchange;
}

TEST(ExchangeTest, SlicesAreWholeLinesThatCoverAll) {
  for (const std::size_t element : {1u, 2u, 4u, 8u}) {
    for (const int size : {1, 2, 3, 4, 7, 8}) {
      for (const std::size_t count : {0u, 1u, 15u, 16u, 17u, 1000u, 4096u}) {
        std::size_t next = 0;
        for (int r = 0; r < size; ++r) {
          const Slice slice = SliceOf(count, element, r, size);
          EXPECT_EQ(slice.first, next);
          if (slice.count > 0) {
            EXPECT_EQ(slice.first * element % 64, 0u);
          }
          next = slice.first + slice.count;
        }
        EXPECT_EQ(next, count);
      }
    }
  }
}

TEST(ExchangeTest, StageLaysOutARangeOfEachPiece) {
  const std::vector<std::int32_t> in = {0, 1, 2, 3, 10, 11, 12, 13};
  Exchange exchange = Make(CollectiveKind::kAllToAll, in.data(), nullptr, 4);
  exchange.parts = 2;
  std::vector<std::int32_t> stage(4, -1);
  auto* const to = reinterpret_cast<std::byte*>(stage.data());
  Stage(exchange, 1, 2, to);
  EXPECT_EQ(stage, (std::vector<std::int32_t>{1, 2, 11, 12}));
  exchange.sends = false;
  Stage(exchange, 0, 2, to);
  EXPECT_EQ(stage[0], 1);
}

TEST(ExchangeTest, TakeReadsTheRightPieces) {
  const std::vector<std::int32_t> a = {1, 2, 3, 4};  // for rank 0: 1 2
  const std::vector<std::int32_t> b = {5, 6, 7, 8};
  const Layout layout = {{reinterpret_cast<const std::byte*>(a.data()),
                          reinterpret_cast<const std::byte*>(b.data())},
                         2 * sizeof(std::int32_t)};
  std::vector<std::int32_t> out(4);
  Exchange exchange = Make(CollectiveKind::kAllToAll, nullptr, out.data(), 2);
  Take(exchange, layout, 1, 0, 2);
  EXPECT_EQ(out, (std::vector<std::int32_t>{3, 4, 7, 8}));
  exchange.kind = CollectiveKind::kReduceScatter;
  exchange.parts = 2;
  Take(exchange, layout, 1, 0, 2);
  EXPECT_EQ(out[0], 10);
  EXPECT_EQ(out[1], 12);
  exchange.kind = CollectiveKind::kPermute;
  exchange.source = -1;
  Take(exchange, layout, 1, 0, 2);
  EXPECT_EQ(out[0], 0);
}

TEST(ExchangeTest, WhenPeersMayReadInPlace) {
  std::int32_t data[16] = {};
  const auto at = [&](int in,
                      int out,
                      CollectiveKind kind,
                      std::size_t parts,
                      std::size_t out_parts) {
    Exchange exchange = Make(kind, data + in, data + out, 4);
    exchange.parts = parts;
    exchange.out_parts = out_parts;
    return ReadableInPlace(exchange, 1);
  };
  EXPECT_TRUE(at(0, 0, CollectiveKind::kAllReduce, 1, 1));
  EXPECT_TRUE(at(0, 4, CollectiveKind::kPermute, 1, 1));
  EXPECT_FALSE(at(0, 0, CollectiveKind::kPermute, 1, 1));
  EXPECT_FALSE(at(0, 0, CollectiveKind::kAllToAll, 2, 2));
  EXPECT_TRUE(at(4, 0, CollectiveKind::kAllGather, 1, 2));
  EXPECT_FALSE(at(0, 0, CollectiveKind::kAllGather, 1, 2));
  EXPECT_TRUE(at(0, 4, CollectiveKind::kReduceScatter, 2, 1));
  EXPECT_FALSE(at(0, 0, CollectiveKind::kReduceScatter, 2, 1));
}

TEST(ExchangeTest, ReduceForAllWritesItsRangeOnEveryRank) {
  const std::size_t count = 5000;  // more than one chunk
  std::vector<Bytes> buffers = {MakeInput(DType::kI32, 0, count),
                                MakeInput(DType::kI32, 1, count)};
  const std::vector<Bytes> before = buffers;
  const Bytes want = ReferenceReduce(DType::kI32, ReduceOp::kSum, buffers);
  const std::vector<const std::byte*> ins = {buffers[0].data(),
                                             buffers[1].data()};
  const std::vector<std::byte*> outs = {buffers[0].data(), buffers[1].data()};
  Exchange exchange = Make(CollectiveKind::kAllReduce, nullptr, nullptr, count);
  ReduceForAll(exchange, ins, outs, {100, 4000});
  for (int r = 0; r < 2; ++r) {
    const auto same =
        [&](const Bytes& other, std::size_t from, std::size_t to) {
          return std::memcmp(buffers[r].data() + from * 4,
                             other.data() + from * 4,
                             (to - from) * 4) == 0;
        };
    EXPECT_TRUE(same(before[r], 0, 100));
    EXPECT_TRUE(same(want, 100, 4100));
    EXPECT_TRUE(same(before[r], 4100, count));
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

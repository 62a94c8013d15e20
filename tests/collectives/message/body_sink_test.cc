#include "gyre/collectives/message/body_sink.h"

#include <gtest/gtest.h>

#include "tests/support/reference.h"

namespace gyre::internal::inline tests {
namespace {

TEST(MemoryBodyTest, CountsWhatHasCome) {
  Bytes to(10);
  MemoryBody body(to.data(), to.size());
  EXPECT_EQ(body.At(3), to.data() + 3);
  EXPECT_FALSE(body.complete());
  body.Take(0, std::span(to).first(4));
  body.Take(4, std::span(to).last(6));
  EXPECT_EQ(body.arrived(), 10u);
  EXPECT_TRUE(body.complete());
}

// Whatever the pieces are, the sum is that of the whole.
TEST(PairBodyTest, PiecesMayCutElementsAnywhere) {
  constexpr std::size_t kCount = 101;
  for (const DType dtype : kReducible) {
    const std::vector<Bytes> inputs = {MakeInput(dtype, 0, kCount),
                                       MakeInput(dtype, 1, kCount)};
    const Bytes want = ReferenceReduce(dtype, ReduceOp::kSum, inputs);
    for (const std::size_t step : {1u, 2u, 3u, 5u, 7u, 13u, 64u, 1000u}) {
      for (const int me : {0, 1}) {
        Bytes out = inputs[me];
        PairBody body({dtype, ReduceOp::kSum, out.data(), out.data(), me == 0},
                      out.size());
        EXPECT_EQ(body.At(0), nullptr);
        const Bytes& theirs = inputs[1 - me];
        for (std::size_t at = 0; at < theirs.size(); at += step) {
          const std::size_t n = std::min(step, theirs.size() - at);
          body.Take(at, std::span(theirs).subspan(at, n));
          EXPECT_LE(body.reduced(), body.arrived());
        }
        EXPECT_TRUE(body.complete());
        EXPECT_EQ(body.reduced(), out.size());
        EXPECT_EQ(SameBytes(out.data(), want, Cat("sum of ", dtype)),
                  OkStatus());
      }
    }
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

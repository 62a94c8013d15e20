#include "gyre/collectives/reduce.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "tests/support/reference.h"

namespace gyre::internal::inline tests {
namespace {

std::vector<Bytes> InputsReduce(DType dtype, int n, std::size_t count) {
  std::vector<Bytes> inputs;
  for (int r = 0; r < n; ++r) inputs.push_back(MakeInput(dtype, r, count));
  return inputs;
}

std::vector<const void*> Pointers(const std::vector<Bytes>& inputs) {
  std::vector<const void*> pointers;
  for (const Bytes& input : inputs) pointers.push_back(input.data());
  return pointers;
}

template <class T>
T ReduceValues(ReduceOp op, std::vector<T> values) {
  std::vector<const void*> sources;
  for (const T& value : values) sources.push_back(&value);
  T out;
  Reduce(DTypeOf<T>(), op, sources, &out, 1);
  return out;
}

TEST(ReduceTest, EqualsTheTreeForAllTypesOpsAndNumbersOfSources) {
  for (const DType dtype : kReducible) {
    for (const ReduceOp op : kReduceOps) {
      for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 17}) {
        for (const std::size_t count : {0u, 1u, 3u, 7u, 8u, 9u, 31u, 100u}) {
          const auto inputs = InputsReduce(dtype, n, count);
          const Bytes want = ReferenceReduce(dtype, op, inputs);
          Bytes got(want.size());
          Reduce(dtype, op, Pointers(inputs), got.data(), count);
          ASSERT_EQ(got, want) << Name(dtype) << " " << Name(op) << " of " << n
                               << " sources, " << count << " elements";
        }
      }
    }
  }
}

TEST(ReduceTest, TheOrderIsTheBalancedTreeAndNotOneAfterTheOther) {
  // In f32, 1e8 + 1 is 1e8: only the tree's order keeps the ones.
  EXPECT_EQ(ReduceValues<float>(ReduceOp::kSum, {1e8f, -1e8f, 1, 1}), 2.0f);
  EXPECT_EQ(ReduceValues<float>(ReduceOp::kSum, {1e8f, 1, -1e8f, 1}), 0.0f);
  EXPECT_EQ(ReduceValues<float>(ReduceOp::kSum, {1e8f, -1e8f, 1}), 1.0f);
  EXPECT_EQ(ReduceValues<float>(ReduceOp::kSum, {1, 1e8f, -1e8f}), 0.0f);
}

TEST(ReduceTest, MayWriteOverEachOfItsSources) {
  for (const int n : {2, 3, 4, 8}) {
    for (int target = 0; target < n; ++target) {
      auto inputs = InputsReduce(DType::kF32, n, 77);
      const Bytes want = ReferenceReduce(DType::kF32, ReduceOp::kSum, inputs);
      const auto sources = Pointers(inputs);
      Reduce(DType::kF32, ReduceOp::kSum, sources, inputs[target].data(), 77);
      EXPECT_EQ(inputs[target], want);
    }
  }
}

TEST(ReduceTest, AnyCutGivesTheSameBits) {
  const std::size_t count = 101;
  for (const DType dtype : kReducible) {
    const auto inputs = InputsReduce(dtype, 5, count);
    const std::size_t element = SizeOf(dtype);
    Bytes whole(count * element);
    Reduce(dtype, ReduceOp::kMean, Pointers(inputs), whole.data(), count);
    for (const std::size_t step : {1u, 3u, 8u, 50u}) {
      Bytes pieces(count * element);
      for (std::size_t at = 0; at < count; at += step) {
        std::vector<const void*> sources;
        for (const Bytes& in : inputs) {
          sources.push_back(in.data() + at * element);
        }
        Reduce(dtype,
               ReduceOp::kMean,
               sources,
               pieces.data() + at * element,
               std::min(step, count - at));
      }
      EXPECT_EQ(pieces, whole) << Name(dtype) << " in steps of " << step;
    }
  }
}

TEST(ReduceTest, ToAllGivesEveryOutputTheBitsOfOne) {
  for (const DType dtype : kReducible) {
    for (const int n : {1, 2, 3, 4, 5}) {
      for (const std::size_t count : {0u, 1u, 9u, 5000u}) {
        auto inputs = InputsReduce(dtype, n, count);
        const Bytes want = ReferenceReduce(dtype, ReduceOp::kMean, inputs);
        const auto sources = Pointers(inputs);
        Bytes apart(want.size());
        std::vector<void*> outs = {apart.data()};
        ReduceToAll(dtype, ReduceOp::kMean, sources, outs, count);
        EXPECT_EQ(apart, want);
        outs.clear();
        for (Bytes& input : inputs) outs.push_back(input.data());
        ReduceToAll(dtype, ReduceOp::kMean, sources, outs, count);
        for (const Bytes& input : inputs) {
          ASSERT_EQ(input, want) << Name(dtype) << " from and to " << n;
        }
      }
    }
  }
}

template <class T>
void ExpectNanWins() {
  const T nan(std::numeric_limits<float>::quiet_NaN());
  const T one(1.0f);
  for (const ReduceOp op : {ReduceOp::kMin, ReduceOp::kMax}) {
    for (int n = 2; n <= 9; ++n) {
      for (int at = 0; at < n; ++at) {
        std::vector<T> values(n, one);
        values[at] = nan;
        const auto got = static_cast<float>(ReduceValues<T>(op, values));
        EXPECT_TRUE(std::isnan(got)) << Name(op) << " of " << n << ", " << at;
      }
    }
  }
}

TEST(ReduceTest, NanPassesMinAndMaxWhereverItStands) {
  ExpectNanWins<float>();
  ExpectNanWins<double>();
  ExpectNanWins<BFloat16>();
  ExpectNanWins<Half>();
}

TEST(ReduceTest, InfinitiesStayAndCancelToNan) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(ReduceValues<float>(ReduceOp::kSum, {inf, 1}), inf);
  EXPECT_TRUE(std::isnan(ReduceValues<float>(ReduceOp::kSum, {inf, -inf})));
  EXPECT_EQ(ReduceValues<float>(ReduceOp::kMin, {-inf, 1}), -inf);
}

TEST(ReduceTest, HalvesAreRoundedOnceAtTheEnd) {
  // Each step in bf16 would round 256 + 1 back to 256.
  const BFloat16 sum = ReduceValues<BFloat16>(
      ReduceOp::kSum,
      {BFloat16(256.f), BFloat16(1.f), BFloat16(1.f), BFloat16(0.f)});
  EXPECT_EQ(static_cast<float>(sum), 258.0f);
  const Half mean =
      ReduceValues<Half>(ReduceOp::kMean, {Half(60000.f), Half(60000.f)});
  EXPECT_EQ(static_cast<float>(mean), 60000.0f);  // the sum would be Inf
}

TEST(ReduceTest, IntegersWrapAndMeansAreExactInTheirRange) {
  EXPECT_EQ(ReduceValues<std::uint8_t>(ReduceOp::kSum, {200, 100}), 44);
  EXPECT_EQ(ReduceValues<std::uint8_t>(ReduceOp::kMean, {200, 100}), 150);
  EXPECT_EQ(ReduceValues<std::int32_t>(ReduceOp::kMean, {-3, -4}), -3);
  const std::int32_t top = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(ReduceValues<std::int32_t>(ReduceOp::kMean, {top, top}), top);
  EXPECT_EQ(ReduceValues<std::int32_t>(ReduceOp::kSum, {top, 1}),
            std::numeric_limits<std::int32_t>::min());
}

TEST(ReduceTest, BoolsKnowAndAndOrOnly) {
  EXPECT_TRUE(CheckReducible(DType::kBool, ReduceOp::kMax).ok());
  EXPECT_TRUE(CheckReducible(DType::kBool, ReduceOp::kMin).ok());
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMean, ReduceOp::kProd}) {
    const Status status = CheckReducible(DType::kBool, op);
    EXPECT_EQ(KindOf(status), ErrorKind::kConfig);
    EXPECT_NE(Message(status).find(Name(op)), std::string::npos);
  }
  const std::array<bool, 2> a = {true, false};
  const std::array<bool, 2> b = {true, true};
  const void* sources[] = {a.data(), b.data()};
  std::array<bool, 2> out = {};
  Reduce(DType::kBool, ReduceOp::kMin, sources, out.data(), 2);
  EXPECT_EQ(out, a);
}

TEST(ReduceTest, AnOpThatThereIsNotIsRefused) {
  const Status status = CheckReducible(DType::kF32, static_cast<ReduceOp>(99));
  EXPECT_EQ(KindOf(status), ErrorKind::kConfig);
  EXPECT_NE(Message(status).find("op 99"), std::string::npos);
  EXPECT_EQ(Name(static_cast<DType>(77)), "unknown dtype");
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/collectives/partial_reduce.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/reference.h"

namespace gyre::internal::inline tests {
namespace {

constexpr std::size_t kCount = 1301;  // blocks and a rest

std::vector<Bytes> Inputs(DType dtype, int ranks) {
  std::vector<Bytes> inputs;
  for (int r = 0; r < ranks; ++r) inputs.push_back(MakeInput(dtype, r, kCount));
  return inputs;
}

// The sum over a node of the tree, as one place computes it.
Bytes PartialOf(DType dtype,
                ReduceOp op,
                const std::vector<Bytes>& inputs,
                const RankRange& range) {
  std::vector<RankRange> leaves;
  std::vector<ReduceTerm> terms;
  for (int i = 0; i < range.count; ++i) {
    leaves.push_back({i, 1});
    terms.push_back({inputs[range.first + i].data(), false});
  }
  Bytes out(kCount * PartialBytes(dtype));
  ReducePartial(
      dtype, op, TreeOver(range.count, leaves), terms, out.data(), kCount);
  return out;
}

Bytes TreeByParts(DType dtype,
                  ReduceOp op,
                  const std::vector<Bytes>& inputs,
                  const std::vector<RankRange>& parts) {
  std::vector<Bytes> partials;
  for (const RankRange& range : parts) {
    partials.push_back(PartialOf(dtype, op, inputs, range));
  }
  std::vector<ReduceTerm> terms;
  for (const Bytes& partial : partials) terms.push_back({partial.data(), true});
  const int ranks = static_cast<int>(inputs.size());
  Bytes out(inputs[0].size());
  ReduceFinal(
      dtype, op, TreeOver(ranks, parts), terms, ranks, out.data(), kCount);
  return out;
}

TEST(PartialReduceTest, AnyPartsOfTheTreeGiveItsBits) {
  const std::vector<std::vector<RankRange>> cuts = {
      {{0, 4}, {4, 2}, {6, 1}},
      {{0, 1}, {1, 1}, {2, 2}, {4, 3}},
      {{0, 7}},
      {{0, 2}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}},
  };
  for (const DType dtype : kReducible) {
    const auto inputs = Inputs(dtype, 7);
    for (const ReduceOp op : kReduceOps) {
      const Bytes want = ReferenceReduce(dtype, op, inputs);
      for (const auto& parts : cuts) {
        const Bytes got = TreeByParts(dtype, op, inputs, parts);
        EXPECT_EQ(SameBytes(got.data(), want, Cat(Name(op), " of ", dtype)),
                  OkStatus());
      }
    }
  }
}

TEST(PartialReduceTest, TermsOfBothKindsMix) {
  for (const DType dtype : kReducible) {
    const auto inputs = Inputs(dtype, 3);
    const Bytes pair = PartialOf(dtype, ReduceOp::kSum, inputs, {0, 2});
    const std::vector<RankRange> ranges = {{2, 1}, {0, 2}};
    const std::vector<ReduceTerm> terms = {{inputs[2].data(), false},
                                           {pair.data(), true}};
    Bytes out(inputs[0].size());
    ReduceFinal(dtype,
                ReduceOp::kSum,
                TreeOver(3, ranges),
                terms,
                3,
                out.data(),
                kCount);
    const Bytes want = ReferenceReduce(dtype, ReduceOp::kSum, inputs);
    EXPECT_EQ(SameBytes(out.data(), want, Cat(dtype)), OkStatus());
  }
}

TEST(PartialReduceTest, AChainGoesFromLeftToRight) {
  for (const DType dtype : kReducible) {
    for (const ReduceOp op : kReduceOps) {
      const auto inputs = Inputs(dtype, 5);
      std::vector<const void*> sources;
      for (const Bytes& input : inputs) sources.push_back(input.data());
      Bytes out(inputs[0].size());
      ReduceChain(dtype, op, sources, out.data(), kCount);
      const Bytes want = ReferenceReduce(dtype, op, inputs, "ring");
      EXPECT_EQ(SameBytes(out.data(), want, Cat(Name(op), " of ", dtype)),
                OkStatus());
    }
  }
}

// Rank after rank adds to a partial result in place.
TEST(PartialReduceTest, APartialResultGrowsInPlace) {
  for (const DType dtype : kReducible) {
    const auto inputs = Inputs(dtype, 4);
    const ReduceTerm first[] = {{inputs[0].data(), false}};
    Bytes partial(kCount * PartialBytes(dtype));
    ReducePartial(
        dtype, ReduceOp::kMean, ChainOver(1), first, partial.data(), kCount);
    for (int r = 1; r < 4; ++r) {
      const ReduceTerm terms[] = {{partial.data(), true},
                                  {inputs[r].data(), false}};
      ReducePartial(
          dtype, ReduceOp::kMean, ChainOver(2), terms, partial.data(), kCount);
    }
    const ReduceTerm last[] = {{partial.data(), true}};
    Bytes out(inputs[0].size());
    ReduceFinal(
        dtype, ReduceOp::kMean, ChainOver(1), last, 4, out.data(), kCount);
    const Bytes want = ReferenceReduce(dtype, ReduceOp::kMean, inputs, "ring");
    EXPECT_EQ(SameBytes(out.data(), want, Cat(dtype)), OkStatus());
  }
}

TEST(PartialReduceTest, OwnElementsOfTheAccumulatorsTypeArePartials) {
  for (const DType dtype : kReducible) {
    const Bytes input = MakeInput(dtype, 0, kCount);
    const ReduceTerm term[] = {{input.data(), false}};
    Bytes out(kCount * PartialBytes(dtype));
    ReducePartial(
        dtype, ReduceOp::kSum, ChainOver(1), term, out.data(), kCount);
    EXPECT_EQ(IsOwnPartial(dtype), out == input) << dtype;
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

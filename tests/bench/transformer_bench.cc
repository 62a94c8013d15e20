// Steps of one transformer block: attention over all tokens, a perceptron of
// four times the width, pre-norm; forward, backward, clip, AdamW.

#include "gyre/models/losses.h"
#include "gyre/models/transformer.h"
#include "tests/bench/roofline.h"
#include "tests/bench/trainer.h"

namespace gyre::internal::inline tests::bench {
namespace {

constexpr std::int64_t kBatch = 8, kTokens = 256, kWidth = 256, kHeads = 8;
constexpr std::int64_t kRows = kBatch * kTokens, kHidden = 4 * kWidth;

// A linear layer: the product, and the gradients of its input and weight.
double LinearSeconds(std::int64_t in, std::int64_t out) {
  return GemmSeconds(kRows, in, out) + GemmSeconds(kRows, out, in) +
         GemmSeconds(in, kRows, out);
}

// All heads: scores and values forward; backward the gradients of values,
// weights, queries and keys. That the backward pass computes the scores again
// is its own choice and not counted.
double AttentionSeconds() {
  constexpr std::int64_t kSize = kWidth / kHeads;
  return kBatch * kHeads *
         (2 * GemmSeconds(kTokens, kSize, kTokens) +
          4 * GemmSeconds(kTokens, kTokens, kSize));
}

void TransformerBlock(benchmark::State& state) {
  const Shape shape({kBatch, kTokens, kWidth});
  SampleBatch data;
  data.tensors = {{"x", RandomTensor(shape, 0)}, {"y", RandomTensor(shape, 1)}};
  Trainer trainer = MakeTrainer(
      [](Params& p, const BatchVars& b) {
        return transformer_block(p, "block", b["x"], {.heads = kHeads});
      },
      [](Var pred, const BatchVars& b) { return mse(pred, b["y"]); },
      std::move(data));
  const double seconds = TimeSteps(state, trainer);
  const double products = 4 * LinearSeconds(kWidth, kWidth) +
                          LinearSeconds(kWidth, kHidden) +
                          LinearSeconds(kHidden, kWidth) + AttentionSeconds();
  ReportRoofline(state, seconds, products + UpdateSeconds(trainer));
}
BENCHMARK(TransformerBlock)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gyre::internal::inline tests::bench

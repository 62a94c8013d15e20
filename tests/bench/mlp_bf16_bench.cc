// MlpLarge with its products in bf16: parameters, sums and tanh stay in f32.
// To be compared with MlpLarge, on a processor that multiplies bf16.

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/models/losses.h"
#include "tests/bench/trainer.h"

namespace gyre::internal::inline tests::bench {
namespace {

constexpr std::int64_t kBatch = 256, kWidth = 1024;
constexpr int kLayers = 5;

Var Network(Params& p, Var h) {
  for (int i = 0; i < kLayers; ++i) {
    const Var w = p.Get(Cat("w", i), {kWidth, kWidth}, LecunNormal(kWidth));
    const Var b = p.Get(Cat("b", i), {kWidth}, Zeros());
    const Var product = matmul(cast(h, DType::kBF16), cast(w, DType::kBF16));
    h = cast(product, DType::kF32) + b;
    if (i + 1 < kLayers) h = tanh(h);
  }
  return h;
}

void MlpLargeBf16(benchmark::State& state) {
  const Shape shape({kBatch, kWidth});
  SampleBatch data;
  data.tensors = {{"x", RandomTensor(shape, 0)}, {"y", RandomTensor(shape, 1)}};
  Trainer trainer = MakeTrainer(
      [](Params& p, const BatchVars& b) { return Network(p, b["x"]); },
      [](Var pred, const BatchVars& b) { return mse(pred, b["y"]); },
      std::move(data));
  TimeSteps(state, trainer);
}
BENCHMARK(MlpLargeBf16)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gyre::internal::inline tests::bench

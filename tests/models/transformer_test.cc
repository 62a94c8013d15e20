#include "gyre/models/transformer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/core/finite.h"
#include "gyre/core/rng.h"
#include "gyre/models/residual.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

Tensor Random(const Shape& shape, std::uint32_t stream) {
  Tensor t(DType::kF32, shape);
  const Rng rng({.seed = 1, .step = 0, .stream = stream});
  for (std::int64_t i = 0; i < t.elements(); ++i) {
    t.data<float>()[i] = static_cast<float>(rng.Normal(i));
  }
  return t;
}

using Layer = std::function<Var(Params&, Var)>;

// The layer's result, then the gradient of each parameter by sum(y^2).
std::vector<Tensor> Apply(const Layer& layer, Tensor x) {
  Tape tape;
  Params params(tape, 3, 0);
  const Var input = tape.Input("x", {x.shape(), x.dtype(), 0});
  std::vector<Var> results = {layer(params, input)};
  std::vector<Var> wrt;
  for (const Parameter& p : params.all()) wrt.push_back(p.used);
  for (const Var& g : Gradients(sum(square(results[0])), wrt)) {
    results.push_back(g);
  }
  const auto plan = Plan::Compile(tape, results);
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  auto executor = Executor::Create(*plan);
  EXPECT_TRUE(executor.ok());
  (*executor)->Bind(0, x.raw());
  std::vector<Tensor> values;
  for (const Parameter& p : params.all()) values.push_back(p.initial);
  for (std::size_t i = 0; i < values.size(); ++i) {
    (*executor)->Bind(static_cast<int>(i) + 1, values[i].raw());
  }
  EXPECT_TRUE((*executor)->Run({}).ok());
  std::vector<Tensor> out;
  for (std::size_t i = 0; i < results.size(); ++i) {
    out.push_back((*executor)->ResultTensor(static_cast<int>(i)));
  }
  return out;
}

void ExpectAllGradientsFlow(const std::vector<Tensor>& out) {
  for (std::size_t i = 1; i < out.size(); ++i) {
    const auto g = out[i].data<float>();
    EXPECT_EQ(CountNonFinite(g.data(), g.size()), 0);
    bool any = false;
    for (const float x : g) any = any || x != 0;
    EXPECT_TRUE(any) << "parameter " << i - 1;
  }
}

TEST(Transformer, BlockTrainsEveryParameter) {
  const auto out = Apply(
      [](Params& params, Var x) {
        return transformer_block(params, "b", x, {.heads = 2, .qk_norm = true});
      },
      Random({2, 5, 8}, 1));
  EXPECT_EQ(out[0].shape(), Shape({2, 5, 8}));
  ASSERT_EQ(out.size(), 1u + 16);
  for (std::size_t i = 1; i < out.size(); ++i) {
    EXPECT_EQ(CountNonFinite(out[i].data<float>().data(), out[i].elements()),
              0);
  }
}

TEST(Transformer, NamesItsParameters) {
  Tape tape;
  Params params(tape, 1, 0);
  const Var x = tape.Input("x", {{1, 2, 4}, DType::kF32, 0});
  transformer_block(params, "b", x, {.heads = 2});
  std::vector<std::string> names;
  for (const Parameter& p : params.all()) names.push_back(p.name);
  EXPECT_THAT(names,
              testing::IsSupersetOf({"b.norm0.gain",
                                     "b.norm1.bias",
                                     "b.attention.q.w",
                                     "b.attention.out.b",
                                     "b.mlp.layer0.w",
                                     "b.mlp.layer1.b"}));
}

// Nothing that comes later reaches an earlier position.
TEST(Transformer, CausalBlocksDoNotLookAhead) {
  const Layer layer = [](Params& params, Var x) {
    return transformer_block(params, "b", x, {.heads = 2, .causal = true});
  };
  const Tensor x = Random({1, 4, 4}, 1);
  Tensor changed = x.Clone();
  for (int i = 8; i < 16; ++i) changed.data<float>()[i] += 1;
  const Tensor a = Apply(layer, x)[0];
  const Tensor b = Apply(layer, changed)[0];
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(a.data<float>()[i], b.data<float>()[i]);
  }
  EXPECT_NE(a.data<float>()[8], b.data<float>()[8]);
}

TEST(Transformer, AttendsToAMemory) {
  Tape tape;
  Params params(tape, 1, 0);
  const Var x = tape.Input("x", {{2, 3, 8}, DType::kF32, 0});
  const Var memory = tape.Input("m", {{2, 7, 5}, DType::kF32, 0});
  EXPECT_EQ(multi_head_attention(params, "a", x, {.heads = 4, .memory = memory})
                .shape(),
            Shape({2, 3, 8}));
  EXPECT_TRUE(tape.errors().empty());
  EXPECT_FALSE(multi_head_attention(params, "c", x, {.heads = 3}).valid());
  EXPECT_THAT(tape.FirstError().ToString(), HasSubstr("divides into 3 heads"));
}

TEST(Residual, TrainsEveryParameter) {
  const Layer layer = [](Params& params, Var x) {
    return residual_block(
        params,
        "r",
        x,
        4,
        {.groups = 2, .pad_mode = {PadMode::kReplicate, PadMode::kCircular}});
  };
  const auto out = Apply(layer, Random({2, 2, 3, 6}, 1));
  EXPECT_EQ(out[0].shape(), Shape({2, 4, 3, 6}));
  // Two norms, two convolutions with bias, and the skip.
  ASSERT_EQ(out.size(), 1u + 9);
  ExpectAllGradientsFlow(out);
}

TEST(Residual, RefusesWhatIsNoField) {
  Tape tape;
  Params params(tape, 1, 0);
  const Var x = tape.Input("x", {{2, 3}, DType::kF32, 0});
  EXPECT_FALSE(residual_block(params, "r", x, 4).valid());
  EXPECT_THAT(tape.FirstError().ToString(), HasSubstr("r: a residual block"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

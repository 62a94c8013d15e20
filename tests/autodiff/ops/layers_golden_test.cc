// Layers and their gradients against the numbers of JAX: in f64 by the plain
// kernels, in f32 by the fast ones. tests/golden/autodiff/make_layers_golden.py
// made the numbers.

#include "tests/golden/autodiff/layers_golden.h"

#include <cmath>

#include "gyre/autodiff/ops/attention.h"
#include "gyre/autodiff/ops/conv.h"
#include "gyre/autodiff/ops/conv_transpose.h"
#include "gyre/autodiff/ops/einsum.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/norm_layers.h"
#include "gyre/autodiff/ops/pool.h"
#include "gyre/autodiff/ops/resize.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/ops/softmax.h"
#include "tests/autodiff/ops/table.h"

namespace gyre::internal::inline tests {
namespace {

using table::Vars;

template <class T>
Tensor Pattern(const Shape& shape, int k) {
  Tensor t(DTypeOf<T>(), shape);
  for (std::int64_t i = 0; i < t.elements(); ++i) {
    t.data<T>()[i] =
        static_cast<T>(std::sin(0.7 * static_cast<double>(i) + 1.1 * k));
  }
  return t;
}

struct GoldenCase {
  std::string name;
  std::vector<Shape> shapes;
  VarFunction f;
};

void AddRows(std::vector<GoldenCase>& cases) {
  cases.push_back({"layer_norm", {{3, 5}, {5}, {5}}, [](Vars v) {
                     return layer_norm(v[0], {.gain = v[1], .bias = v[2]});
                   }});
  cases.push_back({"rms_norm", {{3, 5}, {5}}, [](Vars v) {
                     return rms_norm(v[0], {.gain = v[1]});
                   }});
  cases.push_back({"group_norm", {{2, 4, 2, 3}, {4}, {4}}, [](Vars v) {
                     return group_norm(v[0], 2, {.gain = v[1], .bias = v[2]});
                   }});
  cases.push_back({"softmax_axis_1", {{2, 3, 4}}, [](Vars v) {
                     return softmax(v[0] * 3.0, 1);
                   }});
  cases.push_back({"log_softmax", {{3, 4}}, [](Vars v) {
                     return log_softmax(v[0] * 3.0);
                   }});
  cases.push_back(
      {"cross_entropy", {{3, 4}}, [](Vars v) {
         return cross_entropy(
             v[0],
             v[0].tape()->Constant(Tensor::Of<std::int32_t>({3}, {2, 0, 3})));
       }});
}

void AddAttention(std::vector<GoldenCase>& cases) {
  const Shape q = {1, 2, 3, 4};
  cases.push_back({"attention", {q, {1, 2, 5, 4}, {1, 2, 5, 3}}, [](Vars v) {
                     return attention(v[0], v[1], v[2]);
                   }});
  cases.push_back({"attention_causal", {q, q, {1, 2, 3, 2}}, [](Vars v) {
                     return attention(v[0], v[1], v[2], {.causal = true});
                   }});
  cases.push_back({"attention_bias_mask",
                   {q, {1, 2, 5, 4}, {1, 2, 5, 3}, {2, 1, 5}},
                   [](Vars v) {
                     Tensor seen(DType::kBool, {5});
                     for (const int i : {0, 2, 3}) seen.data<bool>()[i] = true;
                     return attention(
                         v[0],
                         v[1],
                         v[2],
                         {.mask = v[0].tape()->Constant(seen), .bias = v[3]});
                   }});
  cases.push_back({"attention_qk_norm", {q, q, q}, [](Vars v) {
                     return attention(v[0], v[1], v[2], {.qk_norm = true});
                   }});
}

void AddPlanes(std::vector<GoldenCase>& cases) {
  cases.push_back(
      {"conv_on_the_globe", {{1, 2, 3, 4}, {2, 2, 3, 3}}, [](Vars v) {
         return conv2d(v[0],
                       v[1],
                       {.padding = {1, 1},
                        .pad_mode = {PadMode::kReplicate, PadMode::kCircular}});
       }});
  cases.push_back(
      {"conv_reflect_stride", {{1, 2, 4, 5}, {2, 2, 3, 3}}, [](Vars v) {
         return conv2d(v[0],
                       v[1],
                       {.stride = {2, 2},
                        .padding = {1, 1},
                        .pad_mode = {PadMode::kReflect, PadMode::kReflect}});
       }});
  cases.push_back(
      {"conv_transpose", {{1, 2, 2, 3}, {2, 2, 3, 3}}, [](Vars v) {
         return conv2d_transpose(
             v[0],
             v[1],
             {.stride = {2, 2}, .padding = {1, 1}, .output_padding = {1, 0}});
       }});
  cases.push_back(
      {"avg_pool", {{1, 2, 4, 5}}, [](Vars v) {
         return avg_pool(
             v[0], {.window = {3, 3}, .stride = {{2, 2}}, .padding = {1, 1}});
       }});
  cases.push_back(
      {"max_pool", {{1, 2, 4, 5}}, [](Vars v) {
         return max_pool(v[0], {.window = {2, 3}, .stride = {{2, 1}}});
       }});
  cases.push_back({"resize_bilinear", {{1, 3, 4}}, [](Vars v) {
                     return resize(v[0], 5, 7, ResizeMode::kBilinear);
                   }});
  cases.push_back({"resize_nearest", {{1, 3, 4}}, [](Vars v) {
                     return resize(v[0], 4, 6, ResizeMode::kNearest);
                   }});
}

Var TransformerBlock(Vars v) {
  const auto heads = [](Var y) {
    return transpose(reshape(y, {1, 3, 2, 2}), {0, 2, 1, 3});
  };
  Var x = v[0];
  Var h = layer_norm(x);
  const Var y = attention(heads(matmul(h, v[1])),
                          heads(matmul(h, v[2])),
                          heads(matmul(h, v[3])),
                          {.causal = true});
  x = x + matmul(reshape(transpose(y, {0, 2, 1, 3}), {1, 3, 4}), v[4]);
  h = layer_norm(x);
  return x + matmul(gelu(matmul(h, v[5])), v[6]);
}

std::vector<GoldenCase> CasesLayersGolden() {
  std::vector<GoldenCase> cases;
  AddRows(cases);
  AddAttention(cases);
  AddPlanes(cases);
  cases.push_back({"einsum_channels", {{2, 3, 4}, {3, 5}}, [](Vars v) {
                     return einsum("ncw,co->now", v[0], v[1]);
                   }});
  cases.push_back({"transformer_block",
                   {{1, 3, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 8}, {8, 4}},
                   TransformerBlock});
  return cases;
}

template <class T>
void Compare(const GoldenCase& c,
             const LayersGolden& golden,
             double tolerance) {
  std::vector<Tensor> inputs;
  for (const Shape& shape : c.shapes) {
    inputs.push_back(Pattern<T>(shape, static_cast<int>(inputs.size())));
  }
  const auto out = Evaluate(
      [&](Tape& tape, Vars v) {
        const Var y = c.f(v);
        const Var loss = sum(y * tape.Constant(Pattern<T>(y.shape(), 9)));
        std::vector<Var> results = {y};
        for (const Var& g : Gradients(loss, v)) results.push_back(g);
        return results;
      },
      inputs);
  ASSERT_TRUE(out.ok()) << Message(out.status());
  ASSERT_EQ(out->size(), golden.numbers.size());
  for (std::size_t i = 0; i < out->size(); ++i) {
    EXPECT_TRUE(
        AllNear<T>((*out)[i].template data<T>(), golden.numbers[i], tolerance))
        << c.name << " " << DTypeOf<T>() << ", result " << i;
  }
}

TEST(LayersGolden, MatchJax) {
  const std::vector<GoldenCase> cases = CasesLayersGolden();
  const std::vector<LayersGolden> golden = AllLayersGolden();
  ASSERT_EQ(cases.size(), golden.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ASSERT_EQ(cases[i].name, golden[i].name);
    Compare<double>(cases[i], golden[i], 1e-10);
    Compare<float>(cases[i], golden[i], 2e-5);
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

// Fast kernels against the plain ones, operation by operation, for value and
// gradients. tests/lint/kernel_sets_test.cc holds the list of operations
// against this one.

#include <gtest/gtest.h>

#include "gyre/autodiff/ops/attention_op.h"
#include "gyre/autodiff/ops/conv_op.h"
#include "gyre/autodiff/ops/elementwise_op.h"
#include "gyre/autodiff/ops/matmul_op.h"
#include "gyre/autodiff/ops/norm_layers_op.h"
#include "gyre/autodiff/ops/pad2d_op.h"
#include "gyre/autodiff/ops/pool_op.h"
#include "gyre/autodiff/ops/random_op.h"
#include "gyre/autodiff/ops/reduce_op.h"
#include "gyre/autodiff/ops/resize_op.h"
#include "gyre/autodiff/ops/softmax_op.h"
#include "tests/autodiff/ops/table.h"

namespace gyre::internal::inline tests {
namespace {

using table::Vars;

Tensor Floats(Shape shape, std::uint32_t stream) {
  return table::TableNumbers<float>(std::move(shape), -1, 1, stream);
}

// An operation's gradient is an operation too, and is listed with it.
struct Pair {
  std::string operations;
  table::Case test;
  double tolerance = 2e-5;
};

std::vector<Pair> LayersKernelSets() {
  const Tensor image = Floats({2, 4, 9, 11}, 1);
  const Tensor rows = Floats({5, 37}, 2);
  const Tensor heads = Floats({1, 2, 150, 9}, 3);
  return {
      {"MatmulOp",
       {"matmul",
        {rows, Floats({37, 21}, 4)},
        [](Vars v) { return matmul(v[0], v[1]); }}},
      {"Conv2dOp Conv2dInputGradOp Conv2dWeightGradOp",
       {"conv2d",
        {image, Floats({6, 2, 3, 3}, 5)},
        [](Vars v) {
          return conv2d(v[0], v[1], {.padding = {1, 1}, .groups = 2});
        }},
       3e-4},
      {"NormOp NormGradOp",
       {"layer_norm",
        {rows, Floats({37}, 6), Floats({37}, 7)},
        [](Vars v) { return layer_norm(v[0], {.gain = v[1], .bias = v[2]}); }},
       1e-4},
      {"SoftmaxOp SoftmaxGradOp",
       {"softmax", {rows}, [](Vars v) { return softmax(v[0]); }}},
      {"AttentionOp AttentionGradOp",
       {"attention",
        {heads, Floats({1, 2, 300, 9}, 8), Floats({1, 2, 300, 5}, 9)},
        [](Vars v) { return attention(v[0], v[1], v[2], {.causal = true}); }},
       1e-4},
  };
}

std::vector<Pair> Planes() {
  const Tensor image = Floats({2, 3, 7, 10}, 10);
  std::vector<Pair> pairs;
  for (const PadMode mode : {PadMode::kZero,
                             PadMode::kCircular,
                             PadMode::kReflect,
                             PadMode::kReplicate}) {
    pairs.push_back({"Pad2dOp Pad2dFoldOp",
                     {Cat("pad2d ", mode), {image}, [mode](Vars v) {
                        return pad2d(v[0], {3, 2, mode}, {4, 1, mode});
                      }}});
  }
  for (const bool count_padding : {false, true}) {
    const PoolOptions options = {.window = {3, 4},
                                 .stride = {{2, 3}},
                                 .padding = {1, 2},
                                 .count_padding = count_padding};
    pairs.push_back({"PoolOp", {"avg_pool", {image}, [options](Vars v) {
                                  return avg_pool(v[0], options);
                                }}});
    pairs.push_back({"PoolOp", {"max_pool", {image}, [options](Vars v) {
                                  return max_pool(v[0], options);
                                }}});
  }
  for (const ResizeMode mode : {ResizeMode::kNearest, ResizeMode::kBilinear}) {
    for (const auto& [h, w] : {std::pair{11, 23}, {4, 3}, {1, 30}}) {
      pairs.push_back({"ResizeOp",
                       {Cat("resize ", Name(mode), " ", h, " ", w),
                        {image},
                        [mode, h = h, w = w](Vars v) {
                          return resize(v[0], h, w, mode);
                        }}});
    }
  }
  return pairs;
}

// Generated loops beside the interpreter.
std::vector<Pair> Elementwise() {
  const Tensor a = Floats({9, 41}, 11), b = Floats({41}, 12);
  return {{"ElementwiseOp FusedOp",
           {"chain",
            {a, b},
            [](Vars v) { return tanh(v[0] * v[1]) + exp(v[0]) * v[1]; }}},
          {"ReduceAxesOp FusedReduceOp",
           {"reduction",
            {a, b},
            [](Vars v) {
              return mean(square(v[0] - v[1]), {1}) + sum(v[0], {1});
            }}},
          {"RandomOp", {"dropout", {a}, [](Vars v) {
                          return dropout(v[0], 0.3, {7, "here"});
                        }}}};
}

void Compare(const std::vector<Pair>& pairs) {
  for (const Pair& p : pairs) table::CompareKernels(p.test, p.tolerance);
}

TEST(KernelSets, LayersAgree) { Compare(LayersKernelSets()); }
TEST(KernelSets, PlanesAgree) { Compare(Planes()); }
TEST(KernelSets, ElementwiseOperationsAgree) { Compare(Elementwise()); }

// What must be chosen alike, not only nearly so.
TEST(KernelSets, PoolingAgreesOnTiesAndNan) {
  Tensor x = Tensor::Zeros({1, 1, 4, 6});
  for (int i = 0; i < 24; ++i) x.data<float>()[i] = static_cast<float>(i % 3);
  x.data<float>()[8] = x.data<float>()[9] = std::nanf("");
  const auto f = [](Vars v) { return max_pool(v[0], {.window = {2, 3}}); };
  const auto fast = table::ValueAndGradients(f, {x}, KernelSet::kFast);
  const auto plain = table::ValueAndGradients(f, {x}, KernelSet::kReference);
  for (std::size_t k = 0; k < fast.size(); ++k) {
    for (std::int64_t i = 0; i < fast[k].elements(); ++i) {
      const float a = fast[k].data<float>()[i], b = plain[k].data<float>()[i];
      EXPECT_TRUE(a == b || (a != a && b != b)) << k << " " << i;
    }
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

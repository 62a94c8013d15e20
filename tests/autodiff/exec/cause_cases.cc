#include "tests/autodiff/exec/cause_cases.h"

#include <string_view>
#include <utility>

#include "gyre/autodiff/checkpoint.h"
#include "gyre/autodiff/ops/arg_reduce.h"
#include "gyre/autodiff/ops/arrange.h"
#include "gyre/autodiff/ops/attention.h"
#include "gyre/autodiff/ops/buffer.h"
#include "gyre/autodiff/ops/collective.h"
#include "gyre/autodiff/ops/conv.h"
#include "gyre/autodiff/ops/conv_transpose.h"
#include "gyre/autodiff/ops/custom_op.h"
#include "gyre/autodiff/ops/einsum.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/gather.h"
#include "gyre/autodiff/ops/masked.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/mesh_moves.h"
#include "gyre/autodiff/ops/norm_layers.h"
#include "gyre/autodiff/ops/pad2d.h"
#include "gyre/autodiff/ops/pmax.h"
#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/autodiff/ops/pool.h"
#include "gyre/autodiff/ops/random.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/resize.h"
#include "gyre/autodiff/ops/scan.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/ops/softmax.h"
#include "gyre/autodiff/ops/statistics.h"
#include "gyre/autodiff/pointwise_table.h"
#include "gyre/core/rng.h"
#include "gyre/models/losses.h"

namespace gyre::internal::inline tests {
namespace {

using Vars = std::span<const Var>;
using Cases = std::vector<CauseCase>;

// Numbers in (low, high), none at a kink.
Tensor Numbers(Shape shape,
               double low = 0.2,
               double high = 0.9,
               std::uint32_t stream = 1) {
  Tensor t(DType::kF64, std::move(shape));
  const Rng rng({.seed = 5, .step = 0, .stream = stream});
  auto data = t.data<double>();
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = low + (high - low) * rng.Uniform(i);
  }
  return t;
}

// With a gradient of its own, written by hand.
struct Cube {
  static constexpr std::string_view kName = "cube";
  StatusOr<Shape> InferShape(std::span<const Shape> in) const { return in[0]; }
  std::vector<Shape> Saved(std::span<const Shape> in) const { return {in[0]}; }
  template <class T>
  void Forward(const CustomForward<T>& a) const {
    for (std::int64_t i = 0; i < a.y.size(); ++i) {
      a.saved[0][i] = a.x[0][i] * a.x[0][i];
      a.y[i] = a.saved[0][i] * a.x[0][i];
    }
  }
  template <class T>
  void Backward(const CustomBackward<T>& a) const {
    for (std::int64_t i = 0; i < a.dy.size(); ++i) {
      a.dx[0][i] += T(3) * a.saved[0][i] * a.dy[i];
    }
  }
  std::string Describe() const { return ""; }
};

void AddUnary(Cases& cases) {
  using Function = Var (*)(Traced);
  const std::pair<const char*, Function> functions[] = {
      {"neg", [](Traced x) { return -x; }},
#define GYRE_CAUSE(Code, name, Functor, Weight, Generated) {#name, &gyre::name},
      GYRE_UNARY_WORDS(GYRE_CAUSE)
#undef GYRE_CAUSE
  };
  for (const auto& [name, f] : functions) {
    cases.push_back(
        {name, {Numbers({2, 3})}, [f = f](Vars v) { return f(v[0]); }});
  }
}

void AddBinary(Cases& cases) {
  using Function = Var (*)(Traced, Traced);
  const std::pair<const char*, Function> functions[] = {
      {"add", [](Traced a, Traced b) { return a + b; }},
      {"sub", [](Traced a, Traced b) { return a - b; }},
      {"mul", [](Traced a, Traced b) { return a * b; }},
      {"div", [](Traced a, Traced b) { return a / b; }},
      {"pow", &pow},
      {"atan2", &atan2},
      {"xlogy", &xlogy},
      {"polygamma", [](Traced a, Traced b) { return polygamma(1.0, a) * b; }},
      {"max", &maximum},
      {"min", &minimum},
      {"select",
       [](Traced a, Traced b) { return select(a > 0.5, a * a, b * 2.0); }}};
  for (const auto& [name, f] : functions) {
    cases.push_back({name,
                     {Numbers({2, 3}), Numbers({3}, 0.2, 0.9, 2)},
                     [f = f](Vars v) { return f(v[0], v[1]); }});
  }
}

void AddReductions(Cases& cases) {
  const Tensor x = Numbers({2, 3, 4});
  cases.push_back({"sum", {x}, [](Vars v) { return sum(v[0], {1}); }});
  cases.push_back({"mean", {x}, [](Vars v) { return mean(v[0], {0, 2}); }});
  cases.push_back({"max", {x}, [](Vars v) { return max(v[0], {2}); }});
  cases.push_back({"min", {x}, [](Vars v) { return min(v[0], {1}); }});
  cases.push_back({"mean of all", {x}, [](Vars v) { return mean(v[0]); }});
  cases.push_back({"masked_mean", {x}, [](Vars v) {
                     return masked_mean(v[0], v[0] > 0.4);
                   }});
  cases.push_back(
      {"masked_var", {x}, [](Vars v) { return masked_var(v[0], v[0] > 0.3); }});
  cases.push_back(
      {"masked_max", {x}, [](Vars v) { return masked_max(v[0], v[0] > 0.3); }});
  cases.push_back({"var", {x}, [](Vars v) { return var(v[0]); }});
  cases.push_back(
      {"logsumexp", {x}, [](Vars v) { return logsumexp(v[0], {1}); }});
  cases.push_back({"cumsum", {x}, [](Vars v) { return cumsum(v[0], 1); }});
  cases.push_back({"argmax", {x}, [](Vars v) {
                     return select(argmax(v[0], 2, true) > 1, v[0], 2 * v[0]);
                   }});
}

void AddShapes(Cases& cases) {
  const Tensor x = Numbers({2, 3, 4});
  cases.push_back({"reshape", {x}, [](Vars v) {
                     return reshape(v[0], {4, -1}) * 2.0;
                   }});
  cases.push_back({"transpose", {x}, [](Vars v) {
                     return transpose(v[0], {2, 0, 1});
                   }});
  cases.push_back({"broadcast", {Numbers({3, 1})}, [](Vars v) {
                     return broadcast_to(v[0], {2, 3, 4});
                   }});
  cases.push_back({"slice", {x}, [](Vars v) {
                     return slice(slice(v[0], 2, 0, 4, 2), 1, 1, 3);
                   }});
  cases.push_back({"pad", {x}, [](Vars v) { return pad(v[0], 1, 2, 1, 7); }});
  cases.push_back({"concat", {x, Numbers({2, 1, 4}, 0.2, 0.9, 2)}, [](Vars v) {
                     const Var parts[] = {v[0], v[1], v[0]};
                     return concat(parts, 1);
                   }});
  cases.push_back({"flip", {x}, [](Vars v) { return flip(v[0], {1}); }});
  cases.push_back({"roll", {x}, [](Vars v) { return roll(v[0], 1, 2); }});
  cases.push_back({"repeat", {x}, [](Vars v) { return repeat(v[0], 2, 1); }});
  cases.push_back({"stop_gradient", {x}, [](Vars v) {
                     return v[0] * stop_gradient(square(v[0]));
                   }});
  cases.push_back({"checkpoint", {x}, [](Vars v) {
                     return checkpoint([](Var y) { return tanh(exp(y)); },
                                       v[0]);
                   }});
  for (const DType half : {DType::kF16, DType::kBF16, DType::kF32}) {
    cases.push_back({Cat("cast ", half), {x}, [half](Vars v) {
                       return cast(square(cast(v[0], half)), DType::kF64);
                     }});
  }
}

void AddGathers(Cases& cases) {
  const Tensor x = Numbers({5, 4});
  const Tensor rows = Tensor::Of<std::int32_t>({3}, {4, 0, 2});
  cases.push_back(
      {"gather", {x, rows}, [](Vars v) { return gather(v[0], v[1], 0); }});
  cases.push_back(
      {"embedding", {x, rows}, [](Vars v) { return embedding(v[0], v[1]); }});
  cases.push_back({"scatter_add",
                   {x, rows, Numbers({3, 4}, 0.2, 0.9, 2)},
                   [](Vars v) { return scatter_add(v[0], v[1], v[2], 0); }});
  cases.push_back({"segment_sum", {Numbers({3, 4}), rows}, [](Vars v) {
                     return segment_sum(v[0], v[1], 5);
                   }});
  cases.push_back({"one_hot", {Numbers({3, 6}), rows}, [](Vars v) {
                     return v[0] * one_hot(v[1], 6, DType::kF64);
                   }});
}

void AddProducts(Cases& cases) {
  const Tensor a = Numbers({3, 4});
  cases.push_back({"matmul", {a, Numbers({4, 2}, 0.2, 0.9, 2)}, [](Vars v) {
                     return matmul(v[0], v[1]);
                   }});
  cases.push_back({"einsum",
                   {Numbers({2, 3, 4}), Numbers({2, 4, 2}, 0.2, 0.9, 2)},
                   [](Vars v) { return einsum("bij,bjk->bik", v[0], v[1]); }});
  const Tensor image = Numbers({1, 2, 4, 5});
  const Tensor filter = Numbers({2, 2, 3, 3}, -0.9, 0.9, 2);
  cases.push_back({"conv2d", {image, filter}, [](Vars v) {
                     return conv2d(v[0], v[1], {.padding = {1, 1}});
                   }});
  cases.push_back({"conv2d_transpose", {image, filter}, [](Vars v) {
                     return conv2d_transpose(v[0], v[1], {.stride = {2, 2}});
                   }});
}

void AddPlanes(Cases& cases) {
  const Tensor image = Numbers({1, 2, 4, 6});
  for (const PadMode mode : {PadMode::kZero,
                             PadMode::kCircular,
                             PadMode::kReflect,
                             PadMode::kReplicate}) {
    cases.push_back({Cat("pad2d ", mode), {image}, [mode](Vars v) {
                       return pad2d(v[0], {1, 1, mode}, {2, 1, mode});
                     }});
  }
  cases.push_back({"avg_pool", {image}, [](Vars v) { return avg_pool(v[0]); }});
  cases.push_back({"max_pool", {image}, [](Vars v) { return max_pool(v[0]); }});
  cases.push_back({"resize", {image}, [](Vars v) {
                     return resize(v[0], 5, 9, ResizeMode::kBilinear);
                   }});
}

void AddLayers(Cases& cases) {
  const Tensor x = Numbers({3, 6});
  const Tensor row = Numbers({6}, 0.2, 0.9, 2);
  cases.push_back({"layer_norm", {x, row, row}, [](Vars v) {
                     return layer_norm(v[0], {.gain = v[1], .bias = v[2]});
                   }});
  cases.push_back({"rms_norm", {x}, [](Vars v) { return rms_norm(v[0]); }});
  cases.push_back({"group_norm", {Numbers({2, 4, 3})}, [](Vars v) {
                     return group_norm(v[0], 2);
                   }});
  cases.push_back({"softmax", {x}, [](Vars v) { return softmax(v[0]); }});
  cases.push_back(
      {"log_softmax", {x}, [](Vars v) { return log_softmax(v[0]); }});
  cases.push_back({"cross_entropy",
                   {x, Tensor::Of<std::int32_t>({3}, {4, 0, 2})},
                   [](Vars v) { return cross_entropy(v[0], v[1]); }});
  const Tensor q = Numbers({1, 2, 5, 3});
  for (const bool causal : {false, true}) {
    cases.push_back({causal ? "attention, causal" : "attention",
                     {q, Numbers({1, 2, 5, 3}, -1, 1, 2), q},
                     [causal](Vars v) {
                       return attention(v[0], v[1], v[2], {.causal = causal});
                     }});
  }
  cases.push_back({"dropout", {x}, [](Vars v) {
                     return dropout(v[0], 0.3, {7, "here"});
                   }});
  cases.push_back({"normal", {x}, [](Vars v) {
                     return v[0] * normal_like(v[0], {7, "there"});
                   }});
  cases.push_back(
      {"pointwise", {x, row}, [](Vars v) {
         return pointwise(LogCosh{}, v[0], broadcast_to(v[1], {3, 6}));
       }});
  cases.push_back({"custom", {x}, [](Vars v) { return custom(Cube{}, v[0]); }});
  cases.push_back({"buffer", {x}, [](Vars v) {
                     return v[0].tape()->RecordOne(
                         std::make_shared<BufferOp>(), {&v[0], 1}, {});
                   }});
}

void AddMoves(Cases& cases, int ranks) {
  const std::int64_t n = ranks;
  const Tensor x = Numbers({2 * n, 3 * n});
  using Move = std::function<Var(Var)>;
  std::vector<int> ring(ranks);
  for (int r = 0; r < ranks; ++r) ring[r] = (r + 1) % ranks;
  const std::pair<const char*, Move> moves[] = {
      {"psum", [](Var v) { return psum(v * 2.0); }},
      {"pmean", [](Var v) { return pmean(exp(v)); }},
      {"pmax", [](Var v) { return pmax(v * 2.0); }},
      {"pmin", [](Var v) { return pmin(v * 2.0); }},
      {"all_gather", [](Var v) { return all_gather(exp(v), "data", 0); }},
      {"all_gather_same",
       [](Var v) { return all_gather_same(exp(v), "data", 1); }},
      {"reduce_scatter",
       [](Var v) { return reduce_scatter(exp(v), "data", 0); }},
      {"own_part", [](Var v) { return own_part(psum(v), "data", 1); }},
      {"all_to_all", [](Var v) { return all_to_all(exp(v), "data", 0, 1); }},
      {"permute", [=](Var v) { return permute(exp(v), "data", ring); }},
      {"halo_exchange", [](Var v) {
         return halo_exchange(v * 2.0, "data", 0, 1, 1, HaloEdge::kCircular);
       }}};
  for (const auto& [name, move] : moves) {
    cases.push_back({name, {x}, [move = move](Vars v) { return move(v[0]); }});
  }
}

}  // namespace

std::vector<CauseCase> CauseCases(int ranks) {
  Cases cases;
  AddUnary(cases);
  AddBinary(cases);
  AddReductions(cases);
  AddShapes(cases);
  AddGathers(cases);
  AddProducts(cases);
  AddPlanes(cases);
  AddLayers(cases);
  AddMoves(cases, ranks);
  return cases;
}

}  // namespace gyre::internal::inline tests

// Results that can be written down, of intermediate numbers that cannot: the
// right values are of mpmath and of NumPy in f64.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/norm_layers.h"
#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/core/half.h"
#include "gyre/core/math.h"
#include "tests/support/evaluate.h"

namespace gyre::internal::inline tests {
namespace {

constexpr KernelSet kSets[] = {KernelSet::kFast, KernelSet::kReference};

template <class T>
Tensor RowOf(std::vector<T> values) {
  return Tensor::From<T>({1, static_cast<std::int64_t>(values.size())}, values);
}

// Within a few units in the last place of f32.
void ExpectNear(double got, double wanted) {
  EXPECT_NEAR(got, wanted, 4e-7 * std::abs(wanted)) << "wanted " << wanted;
}

template <class T>
Tensor AllEqual(Shape shape, float value) {
  Tensor tensor(DTypeOf<T>(), std::move(shape));
  for (T& x : tensor.data<T>()) x = T(value);
  return tensor;
}

// The sum of 300 times 500 is no f16; the mean is.
TEST(OutOfRange, AMeanOfHalves) {
  for (const KernelSet set : kSets) {
    const auto means = Evaluate(
        [](Tape&, std::span<const Var> v) -> std::vector<Var> {
          return {mean(v[0]), mean(v[0], {1}), mean(v[1], {2, 3}), mean(v[2])};
        },
        {AllEqual<Half>({1, 300}, 500),
         AllEqual<Half>({2, 1, 64, 64}, 20),
         AllEqual<BFloat16>({1000}, 256)},
        {.kernels = set});
    ASSERT_TRUE(means.ok()) << Message(means.status());
    EXPECT_EQ(float((*means)[0].data<Half>()[0]), 500);
    EXPECT_EQ(float((*means)[1].data<Half>()[0]), 500);
    EXPECT_EQ(float((*means)[2].data<Half>()[1]), 20);
    EXPECT_EQ(float((*means)[3].data<BFloat16>()[0]), 256);
    EXPECT_EQ((*means)[0].dtype(), DType::kF16);
  }
}

const std::vector<double> kWindV = {0, 1, 1e-22, 1e25, 3, -2};
const std::vector<double> kWindU = {0, 0, 1e-22, 1e25, -4, 5};
const std::vector<double> kByV = {0, 0, 5e21, 5e-26, -0.16, 5.0 / 29};
const std::vector<double> kByU = {0, -1, -5e21, -5e-26, -0.12, 2.0 / 29};

struct Direction {
  template <class T>
  T operator()(const T& v, const T& u) const {
    return math::atan2(v, u);
  }
};

template <class T>
void CheckDirections(bool functor) {
  std::vector<T> v(kWindV.begin(), kWindV.end());
  std::vector<T> u(kWindU.begin(), kWindU.end());
  for (const KernelSet set : kSets) {
    for (const bool jit : {false, true}) {
      const auto grads = Evaluate(
          [&](Tape&, std::span<const Var> x) -> std::vector<Var> {
            const Var angle = functor ? pointwise(Direction{}, x[0], x[1])
                                      : atan2(x[0], x[1]);
            return Gradients(sum(angle), x);
          },
          {RowOf<T>(v), RowOf<T>(u)},
          {.kernels = set, .jit = jit});
      ASSERT_TRUE(grads.ok()) << Message(grads.status());
      for (std::size_t i = 0; i < v.size(); ++i) {
        ExpectNear((*grads)[0].template data<T>()[i], kByV[i]);
        ExpectNear((*grads)[1].template data<T>()[i], kByU[i]);
      }
    }
  }
}

TEST(OutOfRange, DirectionsOfCalmAndOfHugeWinds) {
  CheckDirections<float>(false);
  CheckDirections<double>(false);
}

TEST(OutOfRange, DirectionsInAFunctor) {
  CheckDirections<float>(true);
  CheckDirections<double>(true);
}

// What a NaN has touched stays NaN.
TEST(OutOfRange, ADirectionOfNoNumberIsNone) {
  const auto grads = Evaluate(
      [](Tape&, std::span<const Var> x) {
        return Gradients(sum(atan2(x[0], x[1])), x);
      },
      {RowOf<float>({NAN, 1}), RowOf<float>({1, NAN})});
  ASSERT_TRUE(grads.ok());
  EXPECT_TRUE(std::isnan((*grads)[0].data<float>()[0]));
  EXPECT_TRUE(std::isnan((*grads)[0].data<float>()[1]));
}

template <class T>
void CheckNorms(T size) {
  const double root = std::sqrt(1.5);
  for (const KernelSet set : kSets) {
    const auto out = Evaluate(
        [](Tape&, std::span<const Var> x) -> std::vector<Var> {
          const NormOptions none = {.eps = 0};
          std::vector<Var> all = {layer_norm(x[0], none), rms_norm(x[0], none)};
          for (const Var& norm : {all[0], all[1]}) {
            all.push_back(Gradients(sum(norm * x[1]), x.first(1))[0]);
          }
          return all;
        },
        {RowOf<T>({size, -size, 0}), RowOf<T>({1, 2, 4})},
        {.kernels = set});
    ASSERT_TRUE(out.ok()) << Message(out.status());
    const double wanted[] = {root, -root, 0};
    // By NumPy, of x = [1, -1, 0] in f64, over the size.
    const double by_layer[] = {-0.4082482904638631 * 2.5,
                               -0.4082482904638631 * 2.5,
                               0.4082482904638631 * 5};
    const double by_rms[] = {1.5 * root, 1.5 * root, 4 * root};
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 2; ++k) {
        EXPECT_NEAR((*out)[k].template data<T>()[i], wanted[i], 3e-7) << k;
      }
      ExpectNear(double((*out)[2].template data<T>()[i]) * double(size),
                 by_layer[i]);
      ExpectNear(double((*out)[3].template data<T>()[i]) * double(size),
                 by_rms[i]);
    }
  }
}

TEST(OutOfRange, NormsOfHugeAndTinyRows) {
  CheckNorms<float>(1.0f);
  CheckNorms<float>(1e20f);
  CheckNorms<float>(1e30f);
  CheckNorms<float>(1e-25f);
  CheckNorms<double>(1e200);
  CheckNorms<double>(1e-200);
}

}  // namespace
}  // namespace gyre::internal::inline tests

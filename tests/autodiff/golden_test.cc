// Small programs against JAX, which is what our users compare us with.
// tests/golden/autodiff/make_composites.py made the numbers, and says each
// program in JAX's words.

#include <cmath>
#include <map>

#include "gyre/autodiff/hvp.h"
#include "gyre/autodiff/ops/arrange.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/gather.h"
#include "gyre/autodiff/ops/masked.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/safe.h"
#include "gyre/autodiff/ops/scan.h"
#include "gyre/autodiff/ops/statistics.h"
#include "tests/autodiff/ops/grad_cases.h"
#include "tests/golden/autodiff/composites.h"

namespace gyre::internal::inline tests {
namespace {

using Program = Var (*)(Var x, Var y);

Var Indices(Var like, std::initializer_list<std::int32_t> values) {
  return like.tape()->Constant(Tensor::Of<std::int32_t>({3}, values));
}

Var CrossEntropy(Var x, Var y) {
  const Var log_p = x - logsumexp(x, {1}, true);
  const Var labels = one_hot(Indices(x, {1, 3, 0}), 4, x.dtype());
  return -sum(labels * log_p * y, {1});
}

Var Crps(Var x, Var y) {
  const Var pairs = abs(expand_dims(x, 1) - expand_dims(x, 0));
  return mean(abs(x - y), {0}) - 0.5 * mean(pairs, {0, 1});
}

Var GaussianNll(Var x, Var y) {
  const Var sigma = softplus(y, 0.1);
  return log(sigma) + 0.5 * square(x / sigma);
}

Var Curvature(Var x, Var y) {
  const auto loss = [y](Vars a) { return sum(tanh(a[0]) * a[0] * y); };
  return hvp(loss, std::span(&x, 1), std::span(&y, 1))[0];
}

Var StackFlip(Var x, Var y) {
  const Var parts[] = {cos(x), flip(x * y, {0})};
  return stack(parts, 1);
}

Var ProdWithZero(Var x, Var y) {
  const Var first = slice(slice(x, 0, 0, 1), 1, 0, 1);
  return y * prod(x - stop_gradient(first), {1}, true);
}

std::map<std::string, Program> Programs() {
  return {
      {"logsumexp", [](Var x, Var y) { return logsumexp(3.0 * x * y, {1}); }},
      {"var", [](Var x, Var y) { return var(x * y, {0}, 1); }},
      {"prod_with_zero", &ProdWithZero},
      {"cumsum_reverse",
       [](Var x, Var y) { return cumsum(sin(x), 1, true) * y; }},
      {"masked_mean",
       [](Var x, Var y) { return masked_mean(x * x * y, y > 0.0); }},
      {"masked_var", [](Var x, Var y) { return masked_var(x * y, y > 0.0); }},
      {"masked_max", [](Var x, Var y) { return masked_max(x * y, y > 0.0); }},
      {"norm", [](Var x, Var y) { return safe_norm(x - y, {1}); }},
      {"gather",
       [](Var x, Var y) {
         return exp(gather(x, Indices(x, {2, 0, 2}), 0)) * y;
       }},
      {"segment_sum",
       [](Var x, Var y) {
         return segment_sum(exp(x) * y, Indices(x, {1, 0, 1}), 2);
       }},
      {"cross_entropy", &CrossEntropy},
      {"roll",
       [](Var x, Var y) { return square(roll(x, -1, 1) - roll(x, 1, 1)) * y; }},
      {"stack_flip", &StackFlip},
      {"crps", &Crps},
      {"gaussian_nll", &GaussianNll},
      {"hvp", &Curvature},
      {"log_kernel", [](Var x, Var y) {
         return logsumexp(tanh(matmul(x, y, false, true)), {0});
       }}};
}

// The numbers that the script computes with.
template <class T>
Tensor Given(int k, const Shape& shape) {
  Tensor t(DTypeOf<T>(), shape);
  auto data = t.data<T>();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const int number = static_cast<int>((37 * i + 11 * k) % 101) - 50;
    data[i] = static_cast<T>(number / 40.0);
  }
  return t;
}

template <class T>
void Expect(const Tensor& got,
            const std::vector<double>& golden,
            double tolerance,
            const std::string& what) {
  const auto data = got.data<T>();
  ASSERT_EQ(data.size(), golden.size()) << what;
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_NEAR(
        data[i], golden[i], tolerance * std::max(1.0, std::abs(golden[i])))
        << what << ", element " << i;
  }
}

template <class T>
void Check(const std::string& name,
           Program program,
           const GoldenNumbers& golden,
           double tolerance) {
  const Shape shape({3, 4});
  const auto results = Evaluate(
      [program](Tape& tape, Vars v) {
        const Var value = program(v[0], v[1]);
        const Var weights = tape.Constant(Given<T>(9, value.shape()));
        const auto grads = Gradients(sum(value * weights), v);
        return std::vector<Var>{value, grads[0], grads[1]};
      },
      {Given<T>(1, shape), Given<T>(2, shape)});
  ASSERT_TRUE(results.ok()) << name << ": " << results.status();
  const std::string where = name + (sizeof(T) == 8 ? " f64 " : " f32 ");
  Expect<T>((*results)[0], golden.value, tolerance, where + "value");
  Expect<T>((*results)[1], golden.dx, tolerance, where + "dx");
  Expect<T>((*results)[2], golden.dy, tolerance, where + "dy");
}

TEST(Golden, CompositesAreThoseOfJax) {
  const auto programs = Programs();
  const auto cases = CompositeCases();
  EXPECT_EQ(programs.size(), cases.size());
  for (const GoldenCase& c : cases) {
    const auto program = programs.find(c.name);
    ASSERT_NE(program, programs.end()) << c.name;
    Check<double>(c.name, program->second, c.f64, 1e-12);
    Check<float>(c.name, program->second, c.f32, 3e-6);
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

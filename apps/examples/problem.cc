#include "apps/examples/problem.h"

#include <gyre/data.h>

#include <cmath>

namespace gyre::examples {
namespace {

std::map<std::string, Tensor> LoadPoints(std::span<const std::int64_t> ids) {
  const auto n = static_cast<std::int64_t>(ids.size());
  Tensor x = Tensor::Zeros({n, 2});
  Tensor y = Tensor::Zeros({n, 1});
  const Rng rng({.seed = 11, .step = 0, .stream = 0});
  for (std::int64_t i = 0; i < n; ++i) {
    const auto u = [&](int k) { return rng.Uniform(4 * ids[i] + k); };
    const float a = 2 * u(0) - 1;
    const float b = 2 * u(1) - 1;
    x.data<float>()[2 * i] = a;
    x.data<float>()[2 * i + 1] = b;
    y.data<float>()[i] = std::sin(3 * a) + 0.5f * b;
    // One point in twenty is an outlier.
    if (u(2) < 0.05f) y.data<float>()[i] += 4;
  }
  return {{"x", x}, {"y", y}};
}

}  // namespace

StatusOr<FunctionSource> Points(const Mesh& mesh) {
  GYRE_ASSIGN_OR_RETURN(
      Sampler sampler,
      Sampler::Create(mesh, {.samples = 512, .batch = 64, .seed = 3}));
  return FunctionSource(std::move(sampler), LoadPoints);
}

}  // namespace gyre::examples

#include "apps/examples/problem.h"

#include <cmath>
#include <utility>

#include "core/rng.h"

namespace gyre::examples {
namespace {

constexpr std::int64_t kPoints = 512;

struct Point {
  float a, b, y;
};

Point MakePoint(std::int64_t id) {
  const Rng rng({.seed = 11, .step = 0, .stream = 0});
  const auto u = [&](int k) { return rng.Uniform(4 * id + k); };
  Point p{2 * u(0) - 1, 2 * u(1) - 1, 0};
  p.y = std::sin(3 * p.a) + 0.5f * p.b;
  if (u(2) < 0.05f) p.y += 4;  // one point in twenty is an outlier
  return p;
}

}  // namespace

Points::Points(Sampler sampler, int rank)
    : sampler_(std::move(sampler)), rank_(rank) {}

StatusOr<Sampler> Points::MakeSampler(int ranks) {
  return Sampler::Create(
      {.samples = kPoints, .batch = 64, .ranks = ranks, .seed = 3});
}

std::vector<std::int64_t> Points::SampleIds(std::int64_t step,
                                            int rank) const {
  return sampler_.Indices(step, rank);
}

StatusOr<SampleBatch> Points::Load(std::int64_t step) {
  SampleBatch batch;
  batch.sample_ids = SampleIds(step, rank_);
  const auto n = static_cast<std::int64_t>(batch.sample_ids.size());
  Tensor x = Tensor::Zeros({n, 2});
  Tensor y = Tensor::Zeros({n, 1});
  for (std::int64_t i = 0; i < n; ++i) {
    const Point p = MakePoint(batch.sample_ids[i]);
    x.data<float>()[2 * i] = p.a;
    x.data<float>()[2 * i + 1] = p.b;
    y.data<float>()[i] = p.y;
  }
  batch.tensors = {{"x", x}, {"y", y}};
  return batch;
}

}  // namespace gyre::examples

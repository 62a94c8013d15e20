#include "train/sampler.h"

#include "core/rng.h"

namespace gyre {
namespace {

// Keeps the order of samples apart from other uses of one seed.
constexpr std::uint32_t kStream = 0x5a3f1e;

}  // namespace

StatusOr<Sampler> Sampler::Create(const SamplerOptions& o) {
  if (o.batch < 1 || o.ranks < 1 || o.batch % o.ranks != 0) {
    return ConfigError("a batch of ",
                       o.batch,
                       " cannot be split over ",
                       o.ranks,
                       " ranks: expected a multiple of ",
                       o.ranks,
                       "; change --batch or the number of ranks");
  }
  if (o.batch > o.samples) {
    return ConfigError("a batch of ",
                       o.batch,
                       " needs at least as many "
                       "samples; the data has ",
                       o.samples);
  }
  return Sampler(o);
}

std::vector<std::int64_t> Sampler::Indices(std::int64_t step, int rank) const {
  const std::int64_t epoch = step / steps_per_epoch();
  const std::int64_t first =
      step % steps_per_epoch() * options_.batch + rank * per_rank();
  const std::vector<std::int64_t> order =
      Permutation(options_.samples,
                  {.seed = options_.seed,
                   .step = static_cast<std::uint64_t>(epoch),
                   .stream = kStream});
  return {order.begin() + first, order.begin() + first + per_rank()};
}

}  // namespace gyre

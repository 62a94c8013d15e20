#include "gyre/train/data/sampler.h"

#include <algorithm>

#include "gyre/core/rng.h"
#include "gyre/train/context/rewind_request.h"

namespace gyre {

using namespace internal;

namespace {

// Keeps the order of samples apart from other uses of one seed.
constexpr std::uint32_t kStream = 0x5a3f1e;

// Puts others in the place of those that are out, among the first `used`: none
// that the same batch has already. There are enough, for those that are not
// out fill a batch.
void Replace(const std::vector<bool>& out,
             std::int64_t batch,
             std::int64_t used,
             std::vector<std::int64_t>& order) {
  const std::vector<std::int64_t> original = order;
  const auto samples = static_cast<std::int64_t>(order.size());
  std::int64_t next = used;
  for (std::int64_t slot = 0; slot < used; ++slot) {
    if (!out[original[slot]]) continue;
    const auto mine = order.begin() + slot / batch * batch;
    for (;; ++next) {
      const std::int64_t id = original[next % samples];
      if (!out[id] && std::find(mine, mine + batch, id) == mine + batch) break;
    }
    order[slot] = original[next++ % samples];
  }
}

}  // namespace

Sampler::Sampler(const Mesh& mesh, AxisSet axes, const SamplerOptions& options)
    : options_(options), rank_(mesh.rank()), parts_(mesh.SizeOf(axes)) {
  for (int r = 0; r < mesh.size(); ++r) {
    part_.push_back(mesh.PositionOf(r, axes));
  }
}

StatusOr<Sampler> Sampler::Create(const Mesh& mesh, const SamplerOptions& o) {
  AxisSet axes = mesh.all_axes();
  if (!o.batch_axes.empty()) {
    GYRE_ASSIGN_OR_RETURN(axes, mesh.Axes(o.batch_axes));
  }
  const int parts = mesh.SizeOf(axes);
  if (o.batch < 1 || o.batch % parts != 0) {
    return ConfigError("a batch of ",
                       o.batch,
                       " cannot be split over ",
                       parts,
                       " ranks (",
                       mesh.Describe(axes),
                       "): expected a multiple of ",
                       parts,
                       "; change the batch or the number of ranks");
  }
  if (o.batch > o.samples) {
    return ConfigError("a batch of ",
                       o.batch,
                       " needs at least as many "
                       "samples; the data has ",
                       o.samples);
  }
  if (!o.ids.empty() && static_cast<std::int64_t>(o.ids.size()) != o.samples) {
    return ConfigError(
        "the sampler has ", o.ids.size(), " ids for ", o.samples, " samples");
  }
  Sampler sampler(mesh, axes, o);
  if (!o.rewinds) return sampler;
  GYRE_ASSIGN_OR_RETURN(const std::optional<RewindRequest> rewind,
                        RewindRequest::Of(mesh.run_context()));
  if (rewind.has_value()) {
    GYRE_RETURN_IF_ERROR(sampler.LeaveOut(rewind->leave_out));
  }
  return sampler;
}

Status Sampler::LeaveOut(const std::vector<std::int64_t>& ids) {
  if (ids.empty()) return OkStatus();
  const auto& known = options_.ids;
  out_.assign(options_.samples, false);
  for (const std::int64_t id : ids) {
    const std::int64_t at =
        known.empty()
            ? id
            : std::find(known.begin(), known.end(), id) - known.begin();
    if (at < 0 || at >= options_.samples) {
      return ConfigError("there is no sample ",
                         id,
                         " to leave out (--skip-samples): the data has ",
                         options_.samples,
                         ", from ",
                         known.empty() ? 0 : known.front(),
                         " to ",
                         known.empty() ? options_.samples - 1 : known.back());
    }
    out_[at] = true;
  }
  const std::int64_t left =
      options_.samples - std::count(out_.begin(), out_.end(), true);
  if (left >= options_.batch) return OkStatus();
  return ConfigError("without the samples to leave out (--skip-samples) ",
                     left,
                     " are left, fewer than a batch of ",
                     options_.batch);
}

std::vector<std::int64_t> Sampler::Order(std::int64_t epoch) const {
  std::vector<std::int64_t> order =
      Permutation(options_.samples,
                  {.seed = options_.seed,
                   .step = static_cast<std::uint64_t>(epoch),
                   .stream = kStream});
  if (!out_.empty()) {
    Replace(out_, options_.batch, steps_per_epoch() * options_.batch, order);
  }
  return order;
}

std::vector<std::int64_t> Sampler::Indices(std::int64_t step, int rank) const {
  const std::int64_t first =
      step % steps_per_epoch() * options_.batch + part_[rank] * per_rank();
  const std::vector<std::int64_t> order = Order(step / steps_per_epoch());
  return {order.begin() + first, order.begin() + first + per_rank()};
}

std::vector<std::int64_t> Sampler::Ids(std::int64_t step, int rank) const {
  std::vector<std::int64_t> ids = Indices(step, rank);
  if (options_.ids.empty()) return ids;
  for (std::int64_t& id : ids) id = options_.ids[id];
  return ids;
}

std::int64_t Sampler::FirstReplaced(std::int64_t from,
                                    std::int64_t until) const {
  if (out_.empty()) return until;
  Sampler whole = *this;
  whole.out_.clear();
  std::vector<std::int64_t> order;
  std::int64_t epoch = -1;
  for (std::int64_t step = from; step < until; ++step) {
    if (step / steps_per_epoch() != epoch) {
      epoch = step / steps_per_epoch();
      order = whole.Order(epoch);
    }
    const auto batch =
        order.begin() + step % steps_per_epoch() * options_.batch;
    const bool replaced = std::any_of(
        batch, batch + options_.batch, [&](std::int64_t i) { return out_[i]; });
    if (replaced) return step;
  }
  return until;
}

}  // namespace gyre

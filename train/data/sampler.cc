#include "gyre/train/data/sampler.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "gyre/train/context/rewind_request.h"
#include "gyre/train/data/epoch_order.h"

namespace gyre {

using namespace internal;

namespace {

// Keeps the order of samples apart from other uses of one seed.
constexpr std::uint32_t kStream = 0x5a3f1e;

}  // namespace

// Of the epochs that were asked for last: a loader may be ahead of the step.
struct Sampler::Orders {
  static constexpr std::size_t kKept = 2;
  std::mutex mutex;
  std::map<std::int64_t, std::shared_ptr<const EpochOrder>> kept;
};

Sampler::Sampler(const Mesh& mesh, AxisSet axes, const SamplerOptions& options)
    : options_(options),
      rank_(mesh.rank()),
      parts_(mesh.SizeOf(axes)),
      orders_(std::make_shared<Orders>()) {
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
    left_out_.insert(at);
  }
  const std::int64_t left = options_.samples - std::ssize(left_out_);
  if (left >= options_.batch) return OkStatus();
  return ConfigError("without the samples to leave out (--skip-samples) ",
                     left,
                     " are left, fewer than a batch of ",
                     options_.batch);
}

std::shared_ptr<const EpochOrder> Sampler::OrderOf(std::int64_t epoch) const {
  const std::lock_guard<std::mutex> lock(orders_->mutex);
  auto& kept = orders_->kept;
  if (const auto found = kept.find(epoch); found != kept.end()) {
    return found->second;
  }
  if (kept.size() == Orders::kKept) kept.erase(kept.begin());
  return kept[epoch] = std::make_shared<const EpochOrder>(EpochOrder::Options{
             .samples = options_.samples,
             .batch = options_.batch,
             .key = {.seed = options_.seed,
                     .step = static_cast<std::uint64_t>(epoch),
                     .stream = kStream},
             .left_out = left_out_});
}

std::vector<std::int64_t> Sampler::Indices(std::int64_t step, int rank) const {
  const std::int64_t first =
      step % steps_per_epoch() * options_.batch + part_[rank] * per_rank();
  const auto order = OrderOf(step / steps_per_epoch());
  std::vector<std::int64_t> indices(per_rank());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    indices[i] = (*order)[first + static_cast<std::int64_t>(i)];
  }
  return indices;
}

std::vector<std::int64_t> Sampler::Ids(std::int64_t step, int rank) const {
  std::vector<std::int64_t> ids = Indices(step, rank);
  if (options_.ids.empty()) return ids;
  for (std::int64_t& id : ids) id = options_.ids[id];
  return ids;
}

std::int64_t Sampler::FirstReplaced(std::int64_t from,
                                    std::int64_t until) const {
  if (left_out_.empty()) return until;
  const std::int64_t steps = steps_per_epoch();
  for (std::int64_t epoch = from / steps; epoch * steps < until; ++epoch) {
    const auto order = OrderOf(epoch);
    for (const auto& [place, sample] : order->replaced()) {
      const std::int64_t step = epoch * steps + place / options_.batch;
      if (step >= from && step < until) return step;
    }
  }
  return until;
}

}  // namespace gyre

#include "gyre/train/step/sample_check.h"

#include <algorithm>
#include <map>
#include <string>

#include "gyre/core/hash.h"
#include "gyre/mesh/shared_outcome.h"
#include "gyre/optim/guard.h"

namespace gyre::internal::inline train {
namespace {

using Ids = std::vector<std::int64_t>;

constexpr std::size_t kMostIds = 4;

// "(165, 4, 9, 12, ...)"
std::string NamedIds(const Ids& ids) {
  std::string text = "(";
  for (std::size_t i = 0; i < std::min(ids.size(), kMostIds); ++i) {
    text += Cat(i == 0 ? "" : ", ", ids[i]);
  }
  return text + (ids.size() > kMostIds ? ", ...)" : ")");
}

// Of each rank, by rank. Ranks may have numbers of samples that differ.
StatusOr<std::vector<Ids>> GatherIds(Communicator& world,
                                     std::span<const std::int64_t> mine,
                                     std::int64_t step) {
  const CallSite site = {
      .label = "ids of the samples", .loc = SourceLoc::Current(), .step = step};
  const auto count = static_cast<std::int64_t>(mine.size());
  std::vector<std::int64_t> counts(world.size());
  GYRE_RETURN_IF_ERROR(
      world.AllGather(&count, counts.data(), 1, DType::kI64, site));
  const auto most =
      static_cast<std::size_t>(*std::max_element(counts.begin(), counts.end()));
  Ids padded(mine.begin(), mine.end());
  padded.resize(most, 0);
  Ids all(most * world.size());
  GYRE_RETURN_IF_ERROR(
      world.AllGather(padded.data(), all.data(), most, DType::kI64, site));
  std::vector<Ids> ids;
  for (int r = 0; r < world.size(); ++r) {
    const auto first = all.begin() + r * most;
    ids.emplace_back(first, first + counts[r]);
  }
  return ids;
}

// The ranks of one part of the batch load the same.
Status CheckCopies(const Mesh& mesh,
                   AxisSet batch_axes,
                   const std::vector<Ids>& ids,
                   std::int64_t step) {
  std::map<int, int> first;  // rank, by part
  for (int r = 0; r < mesh.size(); ++r) {
    if (ids[r].empty()) continue;
    const int other =
        first.emplace(mesh.PositionOf(r, batch_axes), r).first->second;
    if (ids[r] == ids[other]) continue;
    const AxisSet others = mesh.all_axes() & ~batch_axes;
    return MismatchError("ranks ",
                         other,
                         " and ",
                         r,
                         " load other samples, ",
                         NamedIds(ids[other]),
                         " and ",
                         NamedIds(ids[r]),
                         ", in step ",
                         step,
                         ", and must load the same: they differ on axes "
                         "that are no batch axes (",
                         mesh.Describe(others),
                         "). Give the sampler the mesh and the batch axes of "
                         "TrainSpec");
  }
  return OkStatus();
}

// Those of a that are in b, too.
Ids Common(const Ids& a, const Ids& b) {
  Ids common;
  for (const std::int64_t id : a) {
    if (std::find(b.begin(), b.end(), id) != b.end()) common.push_back(id);
  }
  return common;
}

// The parts have no sample in common.
Status CheckParts(const Mesh& mesh,
                  AxisSet batch_axes,
                  const std::vector<Ids>& ids,
                  std::int64_t step) {
  std::map<std::int64_t, int> holders;  // the first rank, by sample
  for (int r = 0; r < mesh.size(); ++r) {
    for (const std::int64_t id : ids[r]) {
      const int other = holders.emplace(id, r).first->second;
      if (mesh.PositionOf(other, batch_axes) ==
          mesh.PositionOf(r, batch_axes)) {
        continue;
      }
      return MismatchError("ranks ",
                           other,
                           " and ",
                           r,
                           " load the same samples ",
                           NamedIds(Common(ids[other], ids[r])),
                           " in step ",
                           step,
                           ": was the rank given to the source? Each has its "
                           "part of a batch that is split over ",
                           mesh.Describe(batch_axes),
                           ": give the sampler the mesh and the batch axes of "
                           "TrainSpec");
    }
  }
  return OkStatus();
}

}  // namespace

std::uint32_t SamplesHash(std::span<const std::int64_t> ids) {
  if (ids.empty()) return 0;
  const auto hash =
      static_cast<std::uint32_t>(Hash64(ids.data(), ids.size_bytes()));
  return hash == 0 ? 1 : hash;
}

bool SamplesLookRight(const Mesh& mesh,
                      AxisSet batch_axes,
                      std::span<const ControlRecord> told) {
  std::map<int, std::uint32_t> by_part;
  std::map<std::uint32_t, int> by_hash;
  for (std::size_t r = 0; r < told.size(); ++r) {
    const Note& note = told[r].note;
    const bool counts =
        (note.flags & (optim::kBadGradient | optim::kBadLoss)) == 0;
    if (!counts || note.value == 0) continue;
    const int part = mesh.PositionOf(static_cast<int>(r), batch_axes);
    if (by_part.emplace(part, note.value).first->second != note.value) {
      return false;
    }
    if (by_hash.emplace(note.value, part).first->second != part) return false;
  }
  return true;
}

Status CompareSamples(const Mesh& mesh,
                      AxisSet batch_axes,
                      std::span<const std::int64_t> ids,
                      std::int64_t step) {
  if (mesh.size() == 1) return OkStatus();
  GYRE_ASSIGN_OR_RETURN(const std::vector<Ids> all,
                        GatherIds(mesh.world(), ids, step));
  Status found = CheckCopies(mesh, batch_axes, all, step);
  if (found.ok()) found = CheckParts(mesh, batch_axes, all, step);
  return HeardByAll(std::move(found), mesh.world());
}

}  // namespace gyre::internal::inline train

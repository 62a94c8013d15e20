#include "gyre/train/records/probe_record.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "gyre/train/step/step_program.h"

namespace gyre::internal::inline train {
namespace {

constexpr std::size_t kProbeFields = 5;

// Of all ranks, each with kProbeFields numbers at `first` among its `each`.
Json Joined(std::span<const double> all,
            std::size_t each,
            std::size_t first,
            std::string name) {
  ProbeNumbers total{.name = std::move(name)};
  Json ranks = Json::Array();
  for (std::size_t at = first; at < all.size(); at += each) {
    const auto fields = all.subspan(at, kProbeFields);
    total.finite += static_cast<std::int64_t>(fields[0]);
    total.bad += static_cast<std::int64_t>(fields[1]);
    total.sum += fields[2];
    total.least = std::min(total.least, fields[3]);
    total.largest = std::max(total.largest, fields[4]);
    if (fields[1] > 0) ranks.Append(static_cast<std::int64_t>(at / each));
  }
  Json json = Json::Object({{"mean", Json()},
                            {"least", Json()},
                            {"largest", Json()},
                            {"bad", total.bad}});
  if (total.finite > 0) {
    json.Set("mean", total.sum / static_cast<double>(total.finite))
        .Set("least", total.least)
        .Set("largest", total.largest);
  }
  return json.Set("bad_ranks", std::move(ranks));
}

}  // namespace

StatusOr<Json> GatherProbes(const TrainStep& step, std::int64_t at) {
  const std::span<const ProbeNumbers> probes = step.program().probes();
  Json json = Json::Object();
  if (probes.empty()) return json;
  std::vector<double> mine;
  for (const ProbeNumbers& p : probes) {
    const auto finite = static_cast<double>(p.finite);
    mine.insert(
        mine.end(),
        {finite, static_cast<double>(p.bad), p.sum, p.least, p.largest});
  }
  Communicator& world = step.mesh().world();
  std::vector<double> all(mine.size() * world.size());
  GYRE_RETURN_IF_ERROR(world.AllGather(
      mine.data(),
      all.data(),
      mine.size(),
      DType::kF64,
      {.label = "probes", .loc = SourceLoc::Current(), .step = at}));
  for (std::size_t i = 0; i < probes.size(); ++i) {
    json.Set(probes[i].name,
             Joined(all, mine.size(), i * kProbeFields, probes[i].name));
  }
  return json;
}

}  // namespace gyre::internal::inline train

#include "gyre/train/checkpoint/same_checkpoint.h"

#include <array>
#include <vector>

#include "gyre/core/hash.h"
#include "gyre/mesh/gather_texts.h"
#include "gyre/mesh/shared_outcome.h"

namespace gyre::internal::inline train {
namespace {

constexpr char kReadLabel[] = "the checkpoint that was read";

using StepAndHash = std::array<std::int64_t, 2>;

}  // namespace

std::uint64_t HashOfState(const Json& manifest) {
  std::uint64_t hash = 0;
  for (const char* key : {"hashes", "counters", "carried", "cursor"}) {
    const Json* const value = manifest.Find(key);
    const std::string text = value == nullptr ? "" : value->Dump();
    hash = Hash64(text.data(), text.size(), hash);
  }
  return hash;
}

Status AgreeOnCheckpoint(const CheckpointRead& mine, Communicator& world) {
  const StepAndHash own = {mine.next_step,
                           static_cast<std::int64_t>(mine.hash)};
  std::vector<StepAndHash> all(world.size());
  GYRE_RETURN_IF_ERROR(world.AllGather(
      own.data(), all.data(), own.size(), DType::kI64, {.label = kReadLabel}));
  int other = 0;
  for (int r = world.size() - 1; r > 0; --r) {
    if (all[r] != all[0]) other = r;
  }
  if (other == 0) return OkStatus();
  GYRE_ASSIGN_OR_RETURN(const std::vector<std::string> folders,
                        GatherTexts(mine.folder, world, kReadLabel));
  const bool same_step = all[other][0] == all[0][0];
  const Status differ =
      MismatchError("rank ",
                    other,
                    " read step ",
                    all[other][0],
                    ", rank 0 step ",
                    all[0][0],
                    same_step ? ", with other contents" : "",
                    ": ",
                    folders[other],
                    " and ",
                    folders[0],
                    "; all ranks must load the same checkpoint: give all "
                    "of them the same path, on a file system that all see");
  return HeardByAll(differ, world);
}

}  // namespace gyre::internal::inline train

#include "gyre/train/data/load_batch.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gyre/train/data/guarded_call.h"

namespace gyre::internal::inline train {
namespace {

constexpr std::size_t kNamedSamples = 8;

// "17, 4, 9 (and 5 more)"; of a source that may itself throw.
std::string SamplesOf(const BatchSource& source, std::int64_t step, int rank) {
  const auto named = GuardedCall(
      ErrorKind::kData, "SampleIds", [&]() -> StatusOr<std::string> {
        const std::vector<std::int64_t> ids = source.SampleIds(step, rank);
        std::string text;
        for (std::size_t i = 0; i < std::min(ids.size(), kNamedSamples); ++i) {
          text += Cat(i > 0 ? ", " : "", ids[i]);
        }
        if (ids.size() > kNamedSamples) {
          text += Cat(" (and ", ids.size() - kNamedSamples, " more)");
        }
        return text;
      });
  return named.ok() ? *named : Message(named.status());
}

}  // namespace

StatusOr<SampleBatch> LoadBatch(BatchSource& source,
                                std::int64_t step,
                                int rank) {
  StatusOr<SampleBatch> batch = GuardedCall(
      ErrorKind::kData, "the loader", [&] { return source.Load(step); });
  if (batch.ok()) return batch;
  return Annotate(batch.status(),
                  Cat("rank ",
                      rank,
                      ", batch of step ",
                      step,
                      ", samples ",
                      SamplesOf(source, step, rank),
                      ": "));
}

}  // namespace gyre::internal::inline train

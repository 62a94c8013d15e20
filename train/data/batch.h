// Data as it enters a step: tensors of fixed shapes, and the ids of the
// samples they came from, so that every later message can name them.

#ifndef GYRE_TRAIN_DATA_BATCH_H_
#define GYRE_TRAIN_DATA_BATCH_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/shape.h"
#include "gyre/core/status.h"
#include "gyre/core/tensor.h"

namespace gyre {

struct SampleBatch {
  std::map<std::string, Tensor> tensors;  // this rank's part
  std::vector<std::int64_t> sample_ids;   // of this rank's part, in order
};

// The tensors of these samples, in this order, or why they cannot be had; an
// exception is an error, too.
using LoadFunction = std::function<StatusOr<std::map<std::string, Tensor>>(
    std::span<const std::int64_t> ids)>;

// The loss of some part of a batch: deep storms, high latitudes.
struct GroupLoss {
  std::string name;
  double sum = 0;     // weighted, over this rank's part of the batch
  double weight = 0;  // 0: the group has no member there
};

// Where batches come from. A source is a pure function of the step, so that
// any step can be asked for again: after a resume, for a replay, or by rank 0
// that wants to name another rank's samples.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  virtual StatusOr<SampleBatch> Load(std::int64_t step) = 0;
  // The samples of `rank` in that step.
  virtual std::vector<std::int64_t> SampleIds(std::int64_t step,
                                              int rank) const = 0;
  // The first step from `from` on, and before `until`, whose batch has another
  // sample in the place of one that a rewind leaves out
  // (train/replay/rewind.h); `until` if there is none. Nothing: the source does
  // not know.
  virtual std::optional<std::int64_t> FirstReplaced(std::int64_t from,
                                                    std::int64_t until) const {
    return from == until ? std::optional(until) : std::nullopt;
  }
  // A sample as a person knows it: "t=17 (1996-01-09T06Z)".
  virtual std::string SampleName(std::int64_t id) const {
    return std::to_string(id);
  }
  // A number of that sample, likewise: "p at 52.5N 20W, valid 1996-01-09T12Z".
  // It lies in an array of the batch, or in one that model or loss made of it
  // (then `tensor` is empty); `shape` is without the axis of samples. Empty
  // where there is nothing to say.
  virtual std::string ElementName(std::int64_t /*sample*/,
                                  std::string_view /*tensor*/,
                                  const Shape& /*shape*/,
                                  std::int64_t /*element*/) const {
    return "";
  }
  // Losses by groups that the application names, of this rank's part of a
  // batch and what the model made of it, for train/records/telemetry.h. Any
  // measure will do; it is for people.
  virtual std::vector<GroupLoss> GroupLosses(
      const SampleBatch& /*batch*/, const Tensor& /*prediction*/) const {
    return {};
  }
};

}  // namespace gyre

#endif  // GYRE_TRAIN_DATA_BATCH_H_

#include "gyre/train/step/batch_check.h"

namespace gyre::internal::inline train {

Status CheckTensor(const BatchTensor& wanted, const SampleBatch& batch) {
  const auto it = batch.tensors.find(wanted.name);
  const bool there = it != batch.tensors.end();
  if (there && it->second.shape() == wanted.spec.shape &&
      it->second.dtype() == wanted.spec.dtype) {
    return OkStatus();
  }
  const std::string got = there
                              ? Cat(it->second.dtype(), " ", it->second.shape())
                              : std::string("none");
  std::string ids;
  for (const std::int64_t id : batch.sample_ids) ids += Cat(" ", id);
  return ConfigError("batch tensor \"",
                     wanted.name,
                     "\": the plan was compiled for ",
                     wanted.spec.dtype,
                     " ",
                     wanted.spec.shape,
                     ", got ",
                     got,
                     " (samples",
                     ids,
                     "); a plan is never recompiled: pad or drop the batch");
}

}  // namespace gyre::internal::inline train

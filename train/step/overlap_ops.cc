#include "gyre/train/step/overlap_ops.h"

#include "gyre/train/step/sync_ops.h"

namespace gyre::internal::inline train {

void GuardBucket(StepState& s, std::size_t i) {
  const GradientBucket& bucket = s.overlap->buckets[i];
  WriteGradientFaults(s.layout, *s.faults, s.grads, bucket.begin, bucket.end);
  if (s.without_guard) return;
  s.findings.ScanTensors(s.layout, s.grads, bucket.begin, bucket.end);
  optim::Contain(s.optimizer.guard(), s.layout, s.findings, s.grads);
}

void PostBucket(StepState& s, std::size_t i, const Note& note) {
  const GradientBucket& bucket = s.overlap->buckets[i];
  float* const grads = s.grads + bucket.offset;
  s.overlap->handles.push_back(
      s.overlap->lane->AllReduce(grads,
                                 grads,
                                 bucket.count,
                                 DType::kF32,
                                 ReduceOp::kSum,
                                 GradientSite(s, i, note)));
}

Status AwaitBuckets(StepState& s) {
  for (Handle& handle : s.overlap->handles) {
    GYRE_RETURN_IF_ERROR(handle.Wait());
  }
  return OkStatus();
}

}  // namespace gyre::internal::inline train

#include "gyre/train/step/micro_ops.h"

#include <algorithm>
#include <utility>

#include "gyre/core/finite.h"
#include "gyre/core/hash.h"

namespace gyre::internal::inline train {
namespace {

float* Floats(const AlignedBuffer& memory) {
  return reinterpret_cast<float*>(memory.get());
}

// sum = sum + factor * the flat gradient
void Add(StepState& s, float factor) {
  float* sum = Floats(s.micro.sum);
  for (std::int64_t i = 0; i < s.layout.elements(); ++i) {
    sum[i] += factor * s.grads[i];
  }
}

void PutMeanInPlace(StepState& s) {
  const float* sum = Floats(s.micro.sum);
  const float factor = 1.0f / static_cast<float>(std::max(s.micro.accepted, 1));
  for (std::int64_t i = 0; i < s.layout.elements(); ++i) {
    s.grads[i] = sum[i] * factor;
  }
  const std::span<float> next = s.next().buffers();
  std::copy_n(Floats(s.micro.buffers), next.size(), next.data());
}

StatusOr<optim::Verdict> Agree(StepState& s) {
  Communicator& world = s.mesh.world();
  const optim::Guard& guard = s.optimizer.guard();
  GYRE_RETURN_IF_ERROR(
      world.Barrier({.label = "findings of a micro-batch",
                     .loc = SourceLoc::Current(),
                     .step = s.step,
                     .note = s.findings.ToNote(guard, s.layout)}));
  // The norm is known only after the reduction, and judged there.
  optim::Verdict verdict = optim::Judge(world.records(), 0, s.guard, guard);
  const std::uint64_t place = s.micro.index;
  verdict.id = Hash64(&place, sizeof(place), verdict.id);
  const std::span<const float> buffers = s.next().buffers();
  return optim::ConfirmUpdate(std::move(verdict),
                              CountNonFinite(buffers.data(), buffers.size()),
                              -1,
                              guard);
}

}  // namespace

void BeginMicroBatches(StepState& s) {
  if (!s.micro.several()) return;
  s.micro.accepted = 0;
  s.micro.bad.clear();
  std::fill_n(Floats(s.micro.sum), s.layout.elements(), 0.0f);
  const std::span<const float> now = s.current().buffers();
  std::copy_n(now.data(), now.size(), Floats(s.micro.buffers));
}

Status JudgeMicroBatch(StepState& s) {
  GYRE_ASSIGN_OR_RETURN(optim::Verdict verdict, Agree(s));
  if (verdict.applies()) {
    ++s.micro.accepted;
    Add(s, static_cast<float>(verdict.rescale));
    const std::span<const float> next = s.next().buffers();
    std::copy_n(next.data(), next.size(), Floats(s.micro.buffers));
  }
  if (verdict.reasons != 0) {
    s.micro.bad.push_back({s.micro.index, std::move(verdict), s.findings});
  }
  if (s.micro.last()) PutMeanInPlace(s);
  return OkStatus();
}

optim::Verdict OverruleByMicroBatches(const StepState& s,
                                      optim::Verdict verdict) {
  if (!s.micro.several()) return verdict;
  const optim::Verdict* last = nullptr;
  for (const MicroFinding& f : s.micro.bad) {
    last = &f.verdict;
    if (f.verdict.action == optim::Action::kHalt) return f.verdict;
    if (f.verdict.overflow) return f.verdict;
  }
  if (s.micro.accepted > 0 || last == nullptr) return verdict;
  return *last;
}

}  // namespace gyre::internal::inline train

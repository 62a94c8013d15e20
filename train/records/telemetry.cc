#include "gyre/train/records/telemetry.h"

#include <algorithm>
#include <utility>

#include "gyre/core/clock.h"
#include "gyre/train/step/layer_numbers.h"
#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline train {
namespace {

constexpr int kAutomatic = 20;    // steps
constexpr int kRarest = 1 << 20;  // steps
constexpr double kShare = 0.02;   // of the time

Json MasksOf(const TrainStep& step) {
  Json masks = Json::Object();
  for (const MaskSum& mask : step.program().MaskSums()) {
    masks.Set(mask.loc.ToString(), mask.sum);
  }
  return masks;
}

Json GroupsOf(const TrainStep& step,
              const SampleBatch& batch,
              const BatchSource& source) {
  Json groups = Json::Object();
  // The plan holds the last part of several alone.
  if (step.program().traits().micro_batches > 1) return groups;
  for (const GroupLoss& group :
       source.GroupLosses(batch, step.program().prediction())) {
    groups.Set(group.name,
               Json::Object({{"sum", group.sum}, {"weight", group.weight}}));
  }
  return groups;
}

void SetIfAny(Json& json, const char* key, Json object) {
  if (!object.members().empty()) json.Set(key, std::move(object));
}

}  // namespace

Telemetry::Telemetry(int every)
    : automatic_(every == kAuto), interval_(automatic_ ? kAutomatic : every) {}

Status Telemetry::Look(const TrainStep& step,
                       const StepReport& report,
                       const SampleBatch& batch,
                       const BatchSource& source) {
  metrics_ = Json::Object();
  rank_ = Json::Object();
  complaints_.clear();
  ++steps_;
  step_seconds_ += report.seconds;
  due_ = interval_ > 0 && report.step % interval_ == 0;
  if (!due_) return OkStatus();
  Json activations = ActivationNumbers(step);
  Json local = LocalLayerNumbers(step, report);
  for (const auto& [key, value] : activations.members()) local.Set(key, value);
  SetIfAny(rank_, "groups", GroupsOf(step, batch, source));
  if (const auto sample = machine_.Look(NowNanos()); sample.has_value()) {
    SetIfAny(rank_, "machine", ToJson(*sample));
    complaints_ = machine_.complaints();
  }
  if (step.mesh().rank() == 0) {
    metrics_.Set("layers", LayerNumbers(step, report));
    SetIfAny(metrics_, "masks", MasksOf(step));
  }
  rank_.Set("layers", std::move(local));
  return OkStatus();
}

void Telemetry::Spent(double seconds) {
  // The first one also fills caches and asks for memory.
  if (!due_ || !automatic_ || ++looks_ == 1) return;
  const double between = interval_ * step_seconds_ / steps_;
  if (seconds > kShare * between) interval_ = std::min(2 * interval_, kRarest);
}

}  // namespace gyre::internal::inline train

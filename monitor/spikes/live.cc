#include "gyre/monitor/spikes/live.h"

#include <cmath>
#include <utility>

#include "gyre/core/finite.h"
#include "gyre/monitor/number_text.h"

namespace gyre::internal::inline monitor {

std::string LiveSpike::Describe() const {
  std::string text = Cat(NameOf(signal),
                         " ",
                         NumberText(value),
                         " at step ",
                         step,
                         ", where ",
                         NumberText(baseline),
                         " was expected (",
                         NumberText(std::round(10 * z) / 10),
                         " scales above it)");
  if (first < step) text += Cat(", rising since step ", first);
  return text;
}

LiveSpikes::LiveSpikes()
    : loss_(OptionsOf(Signal::kLoss)), norm_(OptionsOf(Signal::kGradNorm)) {}

std::vector<LiveSpike> LiveSpikes::Observe(const TraceRow& row) {
  if (row.step <= last_step_) {
    loss_.Restarted();
    norm_.Restarted();
  }
  last_step_ = row.step;
  std::vector<LiveSpike> spikes;
  for (const Signal signal : {Signal::kLoss, Signal::kGradNorm}) {
    const auto& value = ValueOf(row, signal);
    if (!value.has_value()) continue;
    SpikeDetector& detector = signal == Signal::kLoss ? loss_ : norm_;
    const Reading r = detector.Observe(*value, row.accepted);
    if (r.starts == 0 || r.scale == 0) continue;
    if (!row.accepted || !IsFinite(*value)) continue;
    LiveSpike spike{.signal = signal, .step = row.step, .value = *value};
    spike.first = row.step - (r.starts - 1);
    spike.baseline = signal == Signal::kGradNorm ? std::exp(r.level) : r.level;
    spike.z = r.z;
    spikes.push_back(spike);
  }
  return spikes;
}

Json LiveSpikes::ToJson() const {
  return Json::Object({{"last_step", last_step_},
                       {"loss", loss_.ToJson()},
                       {"grad_norm", norm_.ToJson()}});
}

Status LiveSpikes::Restore(const Json& json) {
  LiveSpikes loaded;
  GYRE_ASSIGN_OR_RETURN(loaded.last_step_, json.GetInt("last_step"));
  for (const auto& [key, detector] :
       {std::pair("loss", &loaded.loss_), {"grad_norm", &loaded.norm_}}) {
    const Json* state = json.Find(key);
    if (state == nullptr) return DataError("\"", key, "\" is missing");
    GYRE_RETURN_IF_ERROR(Annotate(detector->Restore(*state), Cat(key, ": ")));
  }
  *this = std::move(loaded);
  return OkStatus();
}

}  // namespace gyre::internal::inline monitor

#include "gyre/monitor/spikes/spike.h"

namespace gyre::internal::inline monitor {
namespace {

Json OrNull(const std::optional<double>& value) {
  return value.has_value() ? Json(*value) : Json();
}

}  // namespace

std::string_view NameOf(SpikeClass spike_class) {
  switch (spike_class) {
    case SpikeClass::kTransient:
      return "transient";
    case SpikeClass::kPersistent:
      return "persistent";
    case SpikeClass::kDivergent:
      return "divergent";
    case SpikeClass::kMetricOnly:
      break;
  }
  return "metric-only";
}

Json ToJson(const Spike& s) {
  return Json::Object({{"class", NameOf(s.spike_class)},
                       {"first_step", s.first_step},
                       {"last_step", s.last_step},
                       {"peak", s.peak},
                       {"baseline_before", OrNull(s.baseline_before)},
                       {"baseline_after", OrNull(s.baseline_after)},
                       {"signals", Json::ArrayOf(s.signals)},
                       {"open", s.open},
                       {"cause", s.cause},
                       {"evidence", Json::ArrayOf(s.evidence)}});
}

}  // namespace gyre::internal::inline monitor

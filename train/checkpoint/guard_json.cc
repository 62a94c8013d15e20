#include "gyre/train/checkpoint/guard_json.h"

#include <utility>
#include <vector>

namespace gyre::internal::inline train {
namespace {

StatusOr<optim::NormHistory> NormsFrom(const Json& json) {
  const Json* values = json.Find("values");
  if (values == nullptr) return CheckpointError("norms: no values");
  std::vector<double> norms;
  for (const Json& value : values->elements()) {
    GYRE_ASSIGN_OR_RETURN(const double norm, value.AsDouble());
    norms.push_back(norm);
  }
  GYRE_ASSIGN_OR_RETURN(const std::int64_t next, json.GetInt("next"));
  return optim::NormHistory::From(std::move(norms), next);
}

StatusOr<optim::LossScaleState> LossScaleFrom(const Json& json) {
  optim::LossScaleState state;
  GYRE_ASSIGN_OR_RETURN(state.scale, json.GetDouble("scale"));
  GYRE_ASSIGN_OR_RETURN(state.good_steps, json.GetInt("good_steps"));
  GYRE_ASSIGN_OR_RETURN(state.backoffs, json.GetInt("backoffs"));
  if (state.scale < 0 || state.good_steps < 0) {
    return CheckpointError("loss scale ", state.scale);
  }
  return state;
}

}  // namespace

Json GuardStateJson(const optim::GuardState& guard) {
  return Json::Object(
      {{"attempted", guard.attempted},
       {"applied", guard.applied},
       {"skipped", guard.skipped},
       {"consecutive_skips", guard.consecutive_skips},
       {"halted", guard.halted},
       {"recent_skips", Json::ArrayOf(guard.recent_skips)},
       {"norms",
        Json::Object({{"values", Json::ArrayOf(guard.norms.norms())},
                      {"next", guard.norms.next()}})},
       {"loss_scale",
        Json::Object({{"scale", guard.loss_scale.scale},
                      {"good_steps", guard.loss_scale.good_steps},
                      {"backoffs", guard.loss_scale.backoffs}})}});
}

StatusOr<optim::GuardState> GuardStateFrom(const Json& json) {
  optim::GuardState guard;
  GYRE_ASSIGN_OR_RETURN(guard.attempted, json.GetInt("attempted"));
  GYRE_ASSIGN_OR_RETURN(guard.applied, json.GetInt("applied"));
  GYRE_ASSIGN_OR_RETURN(guard.skipped, json.GetInt("skipped"));
  GYRE_ASSIGN_OR_RETURN(guard.consecutive_skips,
                        json.GetInt("consecutive_skips"));
  GYRE_ASSIGN_OR_RETURN(guard.halted, json.GetBool("halted"));
  if (const Json* skips = json.Find("recent_skips")) {
    for (const Json& skip : skips->elements()) {
      GYRE_ASSIGN_OR_RETURN(const std::int64_t attempt, skip.AsInt());
      guard.recent_skips.push_back(attempt);
    }
  }
  if (const Json* norms = json.Find("norms")) {
    GYRE_ASSIGN_OR_RETURN(guard.norms, NormsFrom(*norms));
  }
  if (const Json* scale = json.Find("loss_scale")) {
    GYRE_ASSIGN_OR_RETURN(guard.loss_scale, LossScaleFrom(*scale));
  }
  return guard;
}

}  // namespace gyre::internal::inline train

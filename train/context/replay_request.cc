#include "gyre/train/context/replay_request.h"

#include <algorithm>
#include <utility>

namespace gyre::internal::inline train {
namespace {

Status Apply(std::string_view word, ReplayChanges& changes) {
  if (word == "precision=f64") {
    changes.precision = DType::kF64;
  } else if (word == "precision=f32") {
    changes.precision = DType::kF32;
  } else if (word == "kernels=reference") {
    changes.kernels = KernelSet::kReference;
  } else if (word == "kernels=fast") {
    changes.kernels = KernelSet::kFast;
  } else if (word == "jit=off") {
    changes.jit = false;
  } else if (word == "jit=on") {
    changes.jit = true;
  } else {
    return ConfigError("GYRE_REPLAY_WITH has \"",
                       word,
                       "\"; expected precision=f64, precision=f32, "
                       "kernels=reference, kernels=fast, jit=off or jit=on");
  }
  return OkStatus();
}

}  // namespace

StatusOr<ReplayChanges> ReplayChanges::Parse(std::string_view text) {
  ReplayChanges changes;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    GYRE_RETURN_IF_ERROR(Apply(text.substr(0, end), changes));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return changes;
}

StatusOr<std::optional<ReplayRequest>> ReplayRequest::Of(
    const RunContext& context) {
  ReplayRequest request;
  request.evidence = context.replay;
  if (request.evidence.empty()) return std::optional<ReplayRequest>();
  request.out = context.replay_out;
  if (request.out.empty()) {
    return ConfigError(
        "GYRE_REPLAY is set and GYRE_REPLAY_OUT is not: gyre replay sets "
        "both; unset GYRE_REPLAY to train");
  }
  GYRE_ASSIGN_OR_RETURN(request.changes,
                        ReplayChanges::Parse(context.replay_with));
  return std::optional<ReplayRequest>(std::move(request));
}

}  // namespace gyre::internal::inline train

#include "gyre/train/context/rewind_request.h"

namespace gyre::internal::inline train {

Json RewindRequest::ToJson() const {
  return Json::Object({{"original", original},
                       {"checkpoint", checkpoint},
                       {"step", step},
                       {"before", before},
                       {"out", out},
                       {"left_out", Json::ArrayOf(leave_out)},
                       {"why", why},
                       {"compare", compare},
                       {"strict", strict}});
}

StatusOr<RewindRequest> RewindRequest::FromJson(const Json& json) {
  RewindRequest request;
  GYRE_ASSIGN_OR_RETURN(request.original, json.GetString("original"));
  GYRE_ASSIGN_OR_RETURN(request.checkpoint, json.GetString("checkpoint"));
  GYRE_ASSIGN_OR_RETURN(request.step, json.GetInt("step"));
  GYRE_ASSIGN_OR_RETURN(request.before, json.GetInt("before"));
  GYRE_ASSIGN_OR_RETURN(request.out, json.GetString("out"));
  GYRE_ASSIGN_OR_RETURN(request.why, json.GetString("why"));
  GYRE_ASSIGN_OR_RETURN(request.compare, json.GetBool("compare"));
  GYRE_ASSIGN_OR_RETURN(request.strict, json.GetBool("strict"));
  if (const Json* ids = json.Find("left_out")) {
    for (const Json& element : ids->elements()) {
      GYRE_ASSIGN_OR_RETURN(const std::int64_t id, element.AsInt());
      request.leave_out.push_back(id);
    }
  }
  return request;
}

StatusOr<std::optional<RewindRequest>> RewindRequest::Of(
    const RunContext& context) {
  if (context.rewind.empty()) return std::optional<RewindRequest>();
  const auto json = Json::Parse(context.rewind, kRewindVariable);
  const auto request = json.ok() ? FromJson(*json) : json.status();
  if (request.ok()) return std::optional<RewindRequest>(*request);
  return ConfigError(kRewindVariable,
                     " is set by gyre rewind alone: ",
                     Message(request.status()));
}

}  // namespace gyre::internal::inline train

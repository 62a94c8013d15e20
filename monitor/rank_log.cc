#include "gyre/monitor/rank_log.h"

#include "gyre/core/hash.h"

namespace gyre::internal::inline monitor {

Json ToJson(const RankRecord& r) {
  Json json = Json::Object({{"step", r.step},
                            {"local_norm", r.local_norm},
                            {"bad_elements", r.bad_elements},
                            {"decision", HexHash(r.decision)},
                            {"step_ms", r.step_ms},
                            {"wait_ms", r.wait_ms}});
  for (const auto& [key, value] : r.more.members()) json.Set(key, value);
  return json;
}

StatusOr<RankLog> RankLog::Open(const std::string& path) {
  GYRE_ASSIGN_OR_RETURN(BufferedLines lines, BufferedLines::Open(path));
  return RankLog(std::move(lines));
}

Status RankLog::Write(const RankRecord& record) {
  return lines_.Write(ToJson(record), record.bad_elements > 0);
}

}  // namespace gyre::internal::inline monitor

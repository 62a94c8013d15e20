// A timeline for Perfetto (ui.perfetto.dev) or chrome://tracing.
//
//   ChromeTrace trace;
//   trace.Name(rank, "rank 2");
//   trace.Span(rank, "compute", "step 7", start_us, duration_us,
//              Json::Object({{"loss", 0.3}}));
//   trace.Mark(rank, "skip", at_us);
//   GYRE_RETURN_IF_ERROR(trace.Write(run.path() + "/trace.json"));
//
// A rank is a process of the trace, and a lane ("compute", "reduce") a thread
// of it. Spans on one lane of one rank should not overlap.
//
// WARNING 1: it is kept in memory, and at most `most` spans and marks of it,
// the first ones; dropped() counts the others, and the file says so.

#ifndef GYRE_MONITOR_SINKS_CHROME_TRACE_H_
#define GYRE_MONITOR_SINKS_CHROME_TRACE_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline monitor {

class ChromeTrace {
 public:
  explicit ChromeTrace(std::size_t most = 500'000) : most_(most) {}

  void Name(int rank, std::string_view name);
  void Span(int rank,
            std::string_view lane,
            std::string_view name,
            double start_us,
            double duration_us,
            Json arguments = Json::Object());
  void Mark(int rank,
            std::string_view name,
            double at_us,
            Json arguments = Json::Object());

  std::size_t dropped() const { return dropped_; }
  Json ToJson() const;
  Status Write(const std::string& path) const;

 private:
  int Lane(int rank, std::string_view lane);
  void Add(Json event);

  std::size_t most_;
  std::size_t dropped_ = 0;
  std::map<std::pair<int, std::string>, int> lanes_;
  Json names_ = Json::Array();
  Json events_ = Json::Array();
  std::size_t count_ = 0;
};

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SINKS_CHROME_TRACE_H_

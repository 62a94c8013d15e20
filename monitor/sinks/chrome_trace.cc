#include "gyre/monitor/sinks/chrome_trace.h"

#include "gyre/core/io/file.h"

namespace gyre::internal::inline monitor {

void ChromeTrace::Name(int rank, std::string_view name) {
  names_.Append(Json::Object({{"name", "process_name"},
                              {"ph", "M"},
                              {"pid", rank},
                              {"args", Json::Object({{"name", name}})}}));
  names_.Append(Json::Object({{"name", "process_sort_index"},
                              {"ph", "M"},
                              {"pid", rank},
                              {"args", Json::Object({{"sort_index", rank}})}}));
}

int ChromeTrace::Lane(int rank, std::string_view lane) {
  const auto [at, is_new] = lanes_.try_emplace(
      {rank, std::string(lane)}, static_cast<int>(lanes_.size()) + 1);
  if (is_new) {
    names_.Append(Json::Object({{"name", "thread_name"},
                                {"ph", "M"},
                                {"pid", rank},
                                {"tid", at->second},
                                {"args", Json::Object({{"name", lane}})}}));
  }
  return at->second;
}

void ChromeTrace::Add(Json event) {
  if (count_ == most_) {
    ++dropped_;
    return;
  }
  ++count_;
  events_.Append(std::move(event));
}

void ChromeTrace::Span(int rank,
                       std::string_view lane,
                       std::string_view name,
                       double start_us,
                       double duration_us,
                       Json arguments) {
  Add(Json::Object({{"name", name},
                    {"cat", lane},
                    {"ph", "X"},
                    {"ts", start_us},
                    {"dur", duration_us},
                    {"pid", rank},
                    {"tid", Lane(rank, lane)},
                    {"args", std::move(arguments)}}));
}

void ChromeTrace::Mark(int rank,
                       std::string_view name,
                       double at_us,
                       Json arguments) {
  Add(Json::Object({{"name", name},
                    {"ph", "i"},
                    {"s", "p"},
                    {"ts", at_us},
                    {"pid", rank},
                    {"tid", 0},
                    {"args", std::move(arguments)}}));
}

Json ChromeTrace::ToJson() const {
  Json all = names_;
  for (const Json& event : events_.elements()) all.Append(event);
  return Json::Object({{"displayTimeUnit", "ms"},
                       {"otherData", Json::Object({{"dropped", dropped_}})},
                       {"traceEvents", std::move(all)}});
}

Status ChromeTrace::Write(const std::string& path) const {
  return WriteFileAtomically(path, ToJson().Dump());
}

}  // namespace gyre::internal::inline monitor

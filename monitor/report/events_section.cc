// What happened, in a table: spikes with their evidence, causes, events.

#include <algorithm>

#include "gyre/core/status.h"
#include "gyre/monitor/number_text.h"
#include "gyre/monitor/records/causes.h"
#include "gyre/monitor/report/html.h"
#include "gyre/monitor/report/sections.h"

namespace gyre::internal::inline monitor {
namespace {

constexpr std::size_t kMostRows = 200;

std::string CssOf(SpikeClass spike_class) {
  return spike_class == SpikeClass::kMetricOnly
             ? "metric"
             : std::string(NameOf(spike_class));
}

std::string Tag(const std::string& css, std::string_view text) {
  return Cat("<span class=\"tag ", css, "\">", Escaped(text), "</span>");
}

std::string Steps(const Spike& spike) {
  if (spike.first_step == spike.last_step) return Cat(spike.first_step);
  return Cat(spike.first_step, "&ndash;", spike.last_step);
}

std::string Level(const std::optional<double>& value) {
  return value.has_value() ? NumberText(*value) : "n/a";
}

std::string List(const std::vector<std::string>& sentences) {
  std::string out = "<ul>";
  for (const std::string& s : sentences)
    out += Cat("<li>", Escaped(s), "</li>");
  return out + "</ul>";
}

std::string Card(const Spike& s) {
  return Cat("<article class=\"spike ",
             CssOf(s.spike_class),
             "\"><h3>",
             Tag(CssOf(s.spike_class), NameOf(s.spike_class)),
             s.open ? " so far" : "",
             " steps ",
             Steps(s),
             "</h3><p>peak ",
             NumberText(s.peak),
             ", level ",
             Level(s.baseline_before),
             " &rarr; ",
             Level(s.baseline_after),
             "</p><p>cause: ",
             Escaped(s.cause),
             "</p>",
             List(s.evidence),
             "</article>\n");
}

std::string SpikeCards(const std::vector<Spike>& spikes) {
  if (spikes.empty()) {
    return "<p>No spike: the loss and the norm stayed in their bands.</p>\n";
  }
  std::string out;
  for (std::size_t i = 0; i < std::min(spikes.size(), kMostRows); ++i) {
    out += Card(spikes[i]);
  }
  if (spikes.size() <= kMostRows) return out;
  return out + Cat("<p>The first ",
                   kMostRows,
                   " of ",
                   spikes.size(),
                   " spikes; gyre spikes lists them all.</p>\n");
}

std::string CausesTable(const std::vector<Json>& causes) {
  if (causes.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const Json& cause : causes) {
    rows.push_back({Escaped(TextIn(cause, "step")),
                    Cat("<code>", Escaped(DescribeCause(cause)), "</code>")});
  }
  return Table({"step", "first bad operation"}, rows, "rl", "First causes");
}

// "2026-11-29T23:03:30.937Z" is long for a phone.
std::string TimeOfDay(const std::string& time) {
  const std::string clock = time.size() > 19 ? time.substr(11, 8) : time;
  return Cat("<time title=\"", Escaped(time), "\">", Escaped(clock), "</time>");
}

bool IsCheckpoint(const Event& event) {
  return event.kind == event_kind::kCheckpoint;
}

// Of checkpoints with nothing between them the last one stands for all.
std::string EventsTable(const std::vector<Event>& events) {
  if (events.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  int alike = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (rows.size() == kMostRows) break;
    const Event& event = events[i];
    ++alike;
    const bool more = i + 1 < events.size() && IsCheckpoint(events[i + 1]);
    if (IsCheckpoint(event) && more) continue;
    const std::string count =
        alike > 1 ? Cat(alike, " checkpoints, the last: ") : "";
    alike = 0;
    rows.push_back({Cat(event.step),
                    Cat(event.rank),
                    Tag("event", event.kind),
                    Escaped(count + DescribeEvent(event)),
                    TimeOfDay(event.time)});
  }
  return Table({"step", "rank", "event", "what", "time"},
               rows,
               "rrlll",
               Cat("Events: ", events.size(), ", in ", rows.size(), " rows"));
}

}  // namespace

std::vector<ChartMark> MarksOf(const ReportInput& input) {
  std::vector<ChartMark> marks;
  for (const Spike& spike : input.spikes) {
    marks.push_back({static_cast<double>(spike.first_step),
                     static_cast<double>(spike.last_step),
                     CssOf(spike.spike_class),
                     Cat(NameOf(spike.spike_class),
                         " from step ",
                         spike.first_step,
                         " to ",
                         spike.last_step,
                         ", cause: ",
                         spike.cause)});
  }
  for (const Event& event : input.records.events) {
    if (event.kind == event_kind::kCheckpoint || marks.size() > 1000) continue;
    const double step = static_cast<double>(event.step);
    marks.push_back(
        {step,
         step,
         "event",
         Cat(event.kind, " at step ", event.step, ": ", DescribeEvent(event))});
  }
  return marks;
}

std::string EventsSection(const ReportInput& input) {
  return SpikeCards(input.spikes) + CausesTable(input.records.causes) +
         EventsTable(input.records.events);
}

}  // namespace gyre::internal::inline monitor

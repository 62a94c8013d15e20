// The sections of the report. Each gives HTML, or nothing if the records have
// nothing for it.

#ifndef GYRE_MONITOR_REPORT_SECTIONS_H_
#define GYRE_MONITOR_REPORT_SECTIONS_H_

#include <string>
#include <vector>

#include "gyre/monitor/records/run_records.h"
#include "gyre/monitor/report/chart.h"
#include "gyre/monitor/spikes/spike.h"

namespace gyre::internal::inline monitor {

struct ReportInput {
  const RunRecords& records;
  std::vector<Spike> spikes;
};

// Spikes as bands, other events as lines, for every chart over the steps.
std::vector<ChartMark> MarksOf(const ReportInput& input);

std::string OverviewSection(const ReportInput& input);
std::string EventsSection(const ReportInput& input);
std::string LossSection(const ReportInput& input);
std::string NormsSection(const ReportInput& input);
std::string LayersSection(const ReportInput& input);
std::string TimingSection(const ReportInput& input);
std::string ExtrasSection(const ReportInput& input);
std::string SkillSection(const ReportInput& input);
std::string MapSection(const ReportInput& input);
std::string SettingsSection(const ReportInput& input);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_REPORT_SECTIONS_H_

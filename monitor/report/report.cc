#include "gyre/monitor/report/report.h"

#include <utility>

#include "gyre/monitor/records/causes.h"
#include "gyre/monitor/report/html.h"
#include "gyre/monitor/report/page.h"
#include "gyre/monitor/report/sections.h"

namespace gyre::internal::inline monitor {
namespace {

struct Entry {
  const char* id;
  const char* title;
  std::string (*build)(const ReportInput&);
};

constexpr Entry kSections[] = {
    {"events", "What happened", EventsSection},
    {"loss", "Loss", LossSection},
    {"norms", "Gradient norms", NormsSection},
    {"layers", "Layers and groups", LayersSection},
    {"skill", "Skill", SkillSection},
    {"maps", "Maps", MapSection},
    {"timing", "Time and stragglers", TimingSection},
    {"extras", "What the program adds", ExtrasSection},
    {"settings", "Settings and files", SettingsSection},
};

}  // namespace

std::string BuildReport(const RunRecords& records) {
  const ReportInput input = {records, SpikesOf(records)};
  std::string links;
  std::string sections;
  for (const Entry& entry : kSections) {
    const std::string body = entry.build(input);
    if (body.empty()) continue;
    links += Cat("<a href=\"#", entry.id, "\">", entry.title, "</a>\n");
    sections += Section(entry.id, entry.title, body);
  }
  const std::string program = TextIn(records.run, "program");
  const std::string title =
      Cat(program.empty() ? "run" : program, ": ", records.path);
  return Page(title,
              Cat("<header><h1>",
                  Escaped(title),
                  "</h1>\n<nav aria-label=\"Sections\">",
                  links,
                  "</nav></header>\n<main>\n",
                  OverviewSection(input),
                  sections,
                  "</main>\n"));
}

}  // namespace gyre::internal::inline monitor

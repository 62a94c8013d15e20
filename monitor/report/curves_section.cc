// The curves: loss, norms by rank and by layer, learning rate, loss scale.

#include <algorithm>

#include "gyre/core/status.h"
#include "gyre/monitor/number_text.h"
#include "gyre/monitor/report/sections.h"
#include "gyre/monitor/report/series.h"

namespace gyre::internal::inline monitor {
namespace {

std::string FromTo(const ChartLine& line) {
  if (line.y.empty()) return "";
  return Cat("From ",
             NumberText(line.y.front()),
             " to ",
             NumberText(line.y.back()),
             " over ",
             line.y.size(),
             " steps.");
}

Chart OneLine(const ReportInput& input,
              std::string_view key,
              const std::string& title) {
  Chart chart;
  chart.title = title;
  chart.lines.push_back(LineOf(input.records.metrics, key, title, "c1"));
  chart.summary = FromTo(chart.lines[0]);
  chart.marks = MarksOf(input);
  return chart;
}

bool Varies(const ChartLine& line) {
  return std::any_of(line.y.begin(), line.y.end(), [&](double y) {
    return y != line.y.front();
  });
}

}  // namespace

std::string LossSection(const ReportInput& input) {
  Chart loss = OneLine(input, "loss", "loss");
  ChartLine evaluation =
      LineOf(input.records.metrics, "eval_loss", "evaluation", "c3");
  if (!evaluation.x.empty()) loss.lines.push_back(std::move(evaluation));
  std::string out = Render(loss);
  if (!input.spikes.empty()) {
    out +=
        "<p class=\"small\">Bands: spikes by class; thin lines: other "
        "events; red ticks at the top: not finite.</p>\n";
  }
  Chart rate = OneLine(input, "lr", "learning rate");
  rate.marks.clear();
  out += Render(rate);
  Chart scale = OneLine(input, "loss_scale", "loss scale");
  if (Varies(scale.lines[0])) {
    scale.log_y = true;
    out += Render(scale);
  }
  return out;
}

std::string NormsSection(const ReportInput& input) {
  Chart norm = OneLine(input, "grad_norm", "global");
  norm.title = "gradient norm";
  norm.log_y = true;
  auto [least, largest] = RankExtremes(input.records, "local_norm");
  if (input.records.ranks.size() > 1 && !largest.x.empty()) {
    norm.lines.insert(norm.lines.begin(), std::move(least));
    norm.lines.insert(norm.lines.begin() + 1, std::move(largest));
    norm.summary +=
        " The ranks' own norms, before they are reduced, show a rank that "
        "is out of line; the global line hides it.";
  }
  std::string out = Render(norm);
  Chart bad = OneLine(input, "bad_count", "bad elements");
  bad.title = "elements of the gradient that were not finite";
  bad.from_zero = true;
  bad.marks.clear();
  const auto steps = std::count_if(bad.lines[0].y.begin(),
                                   bad.lines[0].y.end(),
                                   [](double count) { return count > 0; });
  bad.summary = Cat("In ", steps, " step(s).");
  if (Varies(bad.lines[0])) out += Render(bad);
  return out;
}

std::string ExtrasSection(const ReportInput& input) {
  constexpr std::size_t kMost = 16;
  std::string out;
  std::size_t count = 0;
  for (const std::string& key : ExtraKeys(input.records.metrics)) {
    if (++count > kMost) break;
    Chart chart = OneLine(input, key, key);
    out += Render(chart);
  }
  return out;
}

}  // namespace gyre::internal::inline monitor

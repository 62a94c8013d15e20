#include "gyre/train/run/learning_rate_probe.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gyre/core/finite.h"
#include "gyre/core/io/file.h"
#include "gyre/core/log.h"
#include "gyre/monitor/number_text.h"
#include "gyre/monitor/report/chart.h"
#include "gyre/monitor/report/page.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {
namespace {

constexpr double kMemory = 0.9;    // of the running mean of losses
constexpr double kDiverged = 4;    // times the least loss
constexpr std::size_t kFirst = 5;  // points that no slope is taken from

std::string RatePage(const RateRange& range, const std::string& said) {
  Chart chart;
  chart.title = "loss over the learning rate";
  chart.x_name = "log10 of the learning rate";
  chart.summary = said;
  ChartLine loss{"loss", "faint", {}, {}}, smooth{"running mean", "c1", {}, {}};
  for (const RateRange::Point& p : range.points) {
    loss.x.push_back(std::log10(p.rate));
    loss.y.push_back(p.loss);
    smooth.x.push_back(std::log10(p.rate));
    smooth.y.push_back(p.smooth);
  }
  chart.log_y =
      std::all_of(loss.y.begin(), loss.y.end(), [](double y) { return y > 0; });
  chart.lines = {std::move(loss), std::move(smooth)};
  const auto mark = [&](std::optional<double> rate,
                        const char* css,
                        const std::string& text) {
    if (!rate.has_value()) return;
    chart.marks.push_back({std::log10(*rate), std::log10(*rate), css, text});
  };
  mark(range.Best(), "event", "falls fastest");
  mark(range.diverged, "divergent", "four times the least loss");
  return Page("Learning rate", "<main>\n" + Render(chart) + "</main>\n");
}

std::string Sentence(const RateRange& range) {
  const std::optional<double> best = range.Best();
  if (!best.has_value()) {
    return "the loss fell nowhere: try other rates, or look at the model first";
  }
  std::string text = "the loss falls fastest at a rate of " + NumberText(*best);
  if (range.diverged.has_value()) {
    text += ", and diverges at " + NumberText(*range.diverged);
  }
  return text;
}

class LearningRateHook final : public RunHook {
 public:
  explicit LearningRateHook(LearningRateProbe settings) : settings_(settings) {}

  std::string name() const override { return "LearningRateProbe"; }

  Status OnStart(HookContext& context) override {
    if (settings_.from <= 0 || settings_.to <= settings_.from ||
        settings_.steps < 10 || !IsFinite(settings_.to)) {
      return ConfigError("from ",
                         settings_.from,
                         " to ",
                         settings_.to,
                         " in ",
                         settings_.steps,
                         " steps: two growing rates above 0 and at least 10 "
                         "steps expected");
    }
    first_ = context.step().next_step();
    return OkStatus();
  }

  Status BeforeStep(HookContext& context, const SampleBatch&) override {
    TrainState& state = context.step().state();
    const double planned =
        state.optimizer().LearningRate(state.guard().applied);
    if (planned <= 0) {
      return ConfigError("the optimizer's own rate is ",
                         planned,
                         " in this step: give it a constant rate");
    }
    const auto done = static_cast<double>(context.step().next_step() - first_);
    const double share = done / static_cast<double>(settings_.steps - 1);
    rate_ = settings_.from * std::pow(settings_.to / settings_.from, share);
    state.SetRateFactor(rate_ / planned);
    return OkStatus();
  }

  Status AfterStep(HookContext& context, const StepRecord& record) override {
    const double loss = record.report.loss;
    const bool done = record.step + 1 - first_ >= settings_.steps;
    const bool bad = !IsFinite(loss) || range_.Add(rate_, loss);
    if (bad && !range_.diverged.has_value()) range_.diverged = rate_;
    if (!done && !bad) return OkStatus();
    context.RequestStop("learning rates tried: " + Sentence(range_));
    return OkStatus();
  }

  void OnEnd(HookContext& context, const Status& status) override {
    context.step().state().SetRateFactor(1);
    if (!status.ok() || context.rank() != 0 || range_.points.empty()) return;
    const std::string path = context.run().path() + "/learning_rate";
    Status written =
        WriteFileAtomically(path + ".json", range_.ToJson().Pretty());
    if (written.ok()) {
      written = WriteFileAtomically(path + ".html",
                                    RatePage(range_, Sentence(range_)));
    }
    if (!written.ok()) LogWarning(Message(written));
    LogInfo(Sentence(range_), "; ", path, ".html");
  }

 private:
  const LearningRateProbe settings_;
  std::int64_t first_ = 0;
  double rate_ = 0;
  RateRange range_;
};

}  // namespace

bool RateRange::Add(double rate, double loss) {
  const double before = points.empty() ? loss : points.back().smooth;
  points.push_back({rate, loss, kMemory * before + (1 - kMemory) * loss});
  double least = points.front().smooth;
  for (const Point& p : points) least = std::min(least, p.smooth);
  if (points.size() <= kFirst || points.back().smooth <= kDiverged * least) {
    return false;
  }
  diverged = rate;
  return true;
}

std::optional<double> RateRange::Best() const {
  double steepest = 0;
  std::optional<double> best;
  for (std::size_t i = kFirst; i + 1 < points.size(); ++i) {
    const double slope = (points[i + 1].smooth - points[i - 1].smooth) /
                         std::log(points[i + 1].rate / points[i - 1].rate);
    if (slope >= steepest) continue;
    steepest = slope;
    best = points[i].rate;
  }
  return best;
}

Json RateRange::ToJson() const {
  Json list = Json::Array();
  for (const Point& p : points) {
    list.Append(Json::Object(
        {{"rate", p.rate}, {"loss", p.loss}, {"smooth", p.smooth}}));
  }
  Json json = Json::Object({{"best", Json()}, {"diverged", Json()}});
  if (const auto best = Best()) json.Set("best", *best);
  if (diverged.has_value()) json.Set("diverged", *diverged);
  return json.Set("points", std::move(list));
}

}  // namespace gyre::internal::inline train

namespace gyre {

std::shared_ptr<RunHook> LearningRateProbe::MakeHook() const {
  return std::make_shared<internal::LearningRateHook>(*this);
}

}  // namespace gyre

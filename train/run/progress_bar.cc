#include "gyre/train/run/progress_bar.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "gyre/monitor/progress.h"
#include "gyre/train/step/train_state.h"

namespace gyre {

using namespace internal;

namespace {

class ProgressHook final : public RunHook {
 public:
  explicit ProgressHook(ProgressBar settings)
      : settings_(std::move(settings)) {}

  std::string name() const override { return "ProgressBar"; }

  Status OnStart(HookContext& context) override {
    if (context.rank() != 0 || !settings_.shown) return OkStatus();
    ProgressOptions options =
        ProgressOptions::ToStderr(context.steps(), context.step().next_step());
    options.terminal_period_s = settings_.terminal_period_s;
    options.log_period_s = settings_.log_period_s;
    progress_.emplace(std::move(options));
    return OkStatus();
  }

  Status AfterStep(HookContext& context, const StepRecord& record) override {
    if (!progress_.has_value()) return OkStatus();
    for (const std::string& name : settings_.metrics) {
      const auto value = context.metrics().Find(name);
      if (value.has_value()) Note(name, *value);
    }
    progress_->Report({.step = record.step,
                       .loss = record.report.loss,
                       .grad_norm = record.report.verdict.norm,
                       .skipped = context.step().state().guard().skipped,
                       .metrics = last_});
    return OkStatus();
  }

  void OnEnd(HookContext&, const Status&) override {
    if (progress_.has_value()) progress_->Finish();
  }

 private:
  void Note(const std::string& name, double value) {
    const auto known =
        std::find_if(last_.begin(), last_.end(), [&](const auto& metric) {
          return metric.first == name;
        });
    if (known == last_.end()) {
      last_.emplace_back(name, value);
    } else {
      known->second = value;
    }
  }

  const ProgressBar settings_;
  std::optional<Progress> progress_;
  ProgressMetrics last_;  // the last values, in the order of their coming
};

}  // namespace

std::shared_ptr<RunHook> ProgressBar::MakeHook() const {
  return std::make_shared<ProgressHook>(*this);
}

}  // namespace gyre

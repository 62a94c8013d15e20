#include "gyre/train/run/early_stopping.h"

#include <optional>
#include <utility>

#include "gyre/train/run/best_metric.h"

namespace gyre {

using namespace internal;

namespace {

class EarlyStoppingHook final : public RunHook {
 public:
  explicit EarlyStoppingHook(EarlyStopping settings)
      : settings_(std::move(settings)) {}

  std::string name() const override { return "EarlyStopping"; }

  Status OnStart(HookContext&) override {
    if (settings_.patience >= 1) return OkStatus();
    return ConfigError(
        "patience is ", settings_.patience, ": 1 or more expected");
  }

  Status AfterStep(HookContext& context, const StepRecord& record) override {
    const auto now = context.metrics().Find(settings_.metric);
    if (!now.has_value()) return OkStatus();
    best_.Observe(*now, record.step, settings_.higher_is_better, settings_.by);
    if (best_.worse < settings_.patience) return OkStatus();
    context.RequestStop(
        best_.value.has_value()
            ? Cat(settings_.metric,
                  " has not become better than ",
                  *best_.value,
                  " of step ",
                  best_.step,
                  " in ",
                  best_.worse,
                  " values")
            : Cat(settings_.metric, " was NaN ", best_.worse, " times"));
    return OkStatus();
  }

  Json Save() const override { return best_.ToJson(); }
  Status Load(const Json& saved) override { return best_.Restore(saved); }

 private:
  const EarlyStopping settings_;
  BestMetric best_;
};

}  // namespace

std::shared_ptr<RunHook> EarlyStopping::MakeHook() const {
  return std::make_shared<EarlyStoppingHook>(*this);
}

}  // namespace gyre

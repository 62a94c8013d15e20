#include "gyre/train/run/best_checkpoint.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "gyre/train/run/best_metric.h"

namespace gyre {

using namespace internal;

namespace {

constexpr std::string_view kOwnLinks[] = {"latest", "last-good", "first-bad"};

class BestCheckpointHook final : public RunHook {
 public:
  explicit BestCheckpointHook(BestCheckpoint settings)
      : settings_(std::move(settings)) {}

  std::string name() const override { return "BestCheckpoint"; }

  Status OnStart(HookContext&) override {
    const std::string& link = settings_.link;
    const bool taken =
        std::find(std::begin(kOwnLinks), std::end(kOwnLinks), link) !=
            std::end(kOwnLinks) ||
        link.rfind("step-", 0) == 0;
    if (!link.empty() && !taken && link.find('/') == std::string::npos) {
      return OkStatus();
    }
    return ConfigError("the link \"",
                       link,
                       "\" cannot point to the best checkpoint: a name beside "
                       "those of the run was expected, such as \"best\"");
  }

  Status AfterStep(HookContext& context, const StepRecord& record) override {
    const auto now = context.metrics().Find(settings_.metric);
    if (now.has_value() &&
        best_.Observe(*now, record.step, settings_.higher_is_better)) {
      context.RequestCheckpoint(settings_.link);
    }
    return OkStatus();
  }

  Json Save() const override { return best_.ToJson(); }
  Status Load(const Json& saved) override { return best_.Restore(saved); }

 private:
  const BestCheckpoint settings_;
  BestMetric best_;
};

}  // namespace

std::shared_ptr<RunHook> BestCheckpoint::MakeHook() const {
  return std::make_shared<BestCheckpointHook>(*this);
}

}  // namespace gyre

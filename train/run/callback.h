// A hook that is one function, called after each step.
//
//   LoopOptions options;
//   options.hooks = {Callback([](HookContext& run, const StepRecord& record) {
//     run.metrics().Set("half", record.report.loss / 2);
//     return OkStatus();
//   })};
//
// A function that returns nothing will do, too.

#ifndef GYRE_TRAIN_RUN_CALLBACK_H_
#define GYRE_TRAIN_RUN_CALLBACK_H_

#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "gyre/train/run/run_hook.h"

namespace gyre {

class Callback final : public RunHook {
 public:
  template <std::invocable<HookContext&, const StepRecord&> F>
  explicit Callback(F f, std::string name = "Callback")
      : name_(std::move(name)),
        call_([f = std::move(f)](HookContext& run,
                                 const StepRecord& record) -> Status {
          using Result =
              std::invoke_result_t<const F&, HookContext&, const StepRecord&>;
          if constexpr (std::is_void_v<Result>) {
            f(run, record);
            return OkStatus();
          } else {
            return f(run, record);
          }
        }) {}

  std::string name() const override { return name_; }
  Status AfterStep(HookContext& run, const StepRecord& record) override {
    return call_(run, record);
  }

 private:
  std::string name_;
  std::function<Status(HookContext&, const StepRecord&)> call_;
};

}  // namespace gyre

#endif  // GYRE_TRAIN_RUN_CALLBACK_H_

// What a program does in the middle of its run: validation, numbers of its
// own, an early end. The run's own records are made before a hook is called.
//
//   class Skill final : public RunHook {
//    public:
//     std::string name() const override { return "skill"; }
//     Status AfterStep(HookContext& run, const StepRecord& record) override {
//       run.metrics().Set("skill", 1 - record.report.loss);
//       if (record.report.loss < 1e-6) run.RequestStop("it is learnt");
//       return OkStatus();
//     }
//   };
//
//   RunTraining(*step, source, run, {.steps = 300, .hooks = {Skill()}});
//
// Hooks are called in the order in which they are given, on all ranks alike.
// What one sets, those behind it read. The provided ones are Evaluate,
// BestCheckpoint, EarlyStopping and Callback (headers of these names).
//
// What one rank asks for, a checkpoint or a stop, is done on all ranks, after
// the same step. An error or an exception of one rank ends the run on all of
// them, with its words, and the checkpoints that are there stay.
//
// WARNING 1: a hook whose AfterStep calls collectives says so by
// IsCollective, so that a rank whose earlier hook has failed leaves none of
// the others waiting.
// WARNING 2: a hook belongs to one rank. Where ranks are threads, what it
// refers to outside of itself must bear that.

#ifndef GYRE_TRAIN_RUN_RUN_HOOK_H_
#define GYRE_TRAIN_RUN_RUN_HOOK_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/monitor/run_directory.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/records/run_metrics.h"
#include "gyre/train/step/train_step.h"

namespace gyre {

// A step that is done.
struct StepRecord {
  std::int64_t step = 0;
  const StepReport& report;
  const SampleBatch& batch;  // this rank's part
};

// What a hook sees of its run, and may ask of it.
class HookContext {
 public:
  HookContext(TrainStep& step, const RunDirectory& run, std::int64_t steps)
      : step_(step), run_(run), steps_(steps) {}

  TrainStep& step() { return step_; }
  const Mesh& mesh() const { return step_.mesh(); }
  int rank() const { return step_.mesh().rank(); }
  const RunDirectory& run() const { return run_; }
  std::int64_t steps() const { return steps_; }  // the run ends before it
  RunMetrics& metrics() { return metrics_; }

  // A checkpoint after this step; checkpoints/LINK points to it, if that is
  // given, and keeps it from being rotated away.
  void RequestCheckpoint(std::string link = "");
  // The run ends well after this step, with a checkpoint; `why` is recorded.
  void RequestStop(std::string why);

  // What was asked for since the last Clear.
  bool wants_checkpoint() const { return wants_checkpoint_; }
  const std::set<std::string>& links() const { return links_; }
  const std::optional<std::string>& stop() const { return stop_; }
  void Clear();

 private:
  TrainStep& step_;
  const RunDirectory& run_;
  std::int64_t steps_;
  RunMetrics metrics_;
  bool wants_checkpoint_ = false;
  std::set<std::string> links_;
  std::optional<std::string> stop_;
};

class RunHook {
 public:
  virtual ~RunHook() = default;

  // In messages, and of its state in checkpoints.
  virtual std::string name() const = 0;
  // Before the first step of a call of RunTraining, after Load.
  virtual Status OnStart(HookContext&) { return OkStatus(); }
  virtual Status BeforeStep(HookContext&, const SampleBatch&) {
    return OkStatus();
  }
  virtual Status AfterStep(HookContext&, const StepRecord&) {
    return OkStatus();
  }
  // Before the state is taken that goes on with step().next_step().
  virtual Status OnCheckpoint(HookContext&) { return OkStatus(); }
  // After the last step, or the error that ends the run.
  virtual void OnEnd(HookContext&, const Status&) {}

  // Whether AfterStep calls collectives, after that step.
  virtual bool IsCollective(std::int64_t /*step*/) const { return false; }
  // The state that a checkpoint keeps, of rank 0; null: none. All ranks get it
  // back when a run goes on from there.
  virtual Json Save() const { return Json(); }
  virtual Status Load(const Json&) { return OkStatus(); }
};

// A hook as an option: made anew for every run, from the settings or from the
// hook that was given.
class Hook {
 public:
  template <std::derived_from<RunHook> T>
  Hook(T hook)  // NOLINT: reads as a list of hooks
      : make_([hook = std::move(hook)] { return std::make_shared<T>(hook); }) {}
  template <class T>
  requires requires(const T& settings) {
    { settings.MakeHook() } -> std::convertible_to<std::shared_ptr<RunHook>>;
  }
  Hook(T settings)  // NOLINT: the same
      : make_(
            [settings = std::move(settings)] { return settings.MakeHook(); }) {}
  // The very same one, for a program that looks at it afterwards.
  Hook(std::shared_ptr<RunHook> hook)  // NOLINT: the same
      : make_([hook = std::move(hook)] { return hook; }) {}

  std::shared_ptr<RunHook> Make() const { return make_(); }

 private:
  std::function<std::shared_ptr<RunHook>()> make_;
};

}  // namespace gyre

#endif  // GYRE_TRAIN_RUN_RUN_HOOK_H_

// The hooks of a run (train/run/run_hook.h): calls them, and sees to it that
// all ranks come to one outcome.

#ifndef GYRE_TRAIN_RUN_HOOK_LIST_H_
#define GYRE_TRAIN_RUN_HOOK_LIST_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/train/checkpoint/carried_state.h"
#include "gyre/train/run/run_hook.h"

namespace gyre::internal::inline train {

// What the ranks have agreed on after a step.
struct HookWishes {
  bool checkpoint = false;
  std::vector<std::string> links;   // of that checkpoint
  std::optional<std::string> stop;  // why
};

class HookList {
 public:
  explicit HookList(const std::vector<Hook>& hooks);

  bool empty() const { return hooks_.empty(); }
  bool Has(std::string_view name) const;

  // Of this rank alone: what fails must be told to the others.
  Status OnStart(HookContext& context);
  Status BeforeStep(HookContext& context, const SampleBatch& batch);
  void OnEnd(HookContext& context, const Status& status);

  // Collective where there are hooks; the same outcome on all ranks. Errors:
  // the first of a hook, with its rank, step and name; metrics that differ.
  StatusOr<HookWishes> AfterStep(HookContext& context,
                                 const StepRecord& record);
  Status OnCheckpoint(HookContext& context);

  // Their states, for checkpoints: those that OnCheckpoint has found.
  std::vector<CarriedState> Carried();

 private:
  struct Entry {
    std::shared_ptr<RunHook> hook;
    std::string name;  // with a number, where it is not the first of its name
    Json state;
  };

  std::vector<Entry> hooks_;
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_RUN_HOOK_LIST_H_

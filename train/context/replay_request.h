// What `gyre replay` tells the program that it starts (train/replay/replay.h).

#ifndef GYRE_TRAIN_CONTEXT_REPLAY_REQUEST_H_
#define GYRE_TRAIN_CONTEXT_REPLAY_REQUEST_H_

#include <optional>
#include <string>
#include <string_view>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/core/dtype.h"
#include "gyre/core/status.h"
#include "gyre/mesh/run_context.h"

namespace gyre::internal::inline train {

// What a replay does otherwise than the original.
struct ReplayChanges {
  std::optional<DType> precision = {};
  std::optional<KernelSet> kernels = {};
  std::optional<bool> jit = {};

  // Error: a word that it does not know, with those that it does.
  static StatusOr<ReplayChanges> Parse(std::string_view text);
};

struct ReplayRequest {
  std::string evidence = {};
  std::string out = {};
  ReplayChanges changes = {};

  std::string result() const { return out + "/result.json"; }

  // Nothing: the program is to train, as usual.
  static StatusOr<std::optional<ReplayRequest>> Of(const RunContext& context);
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_CONTEXT_REPLAY_REQUEST_H_

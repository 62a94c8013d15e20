#include "gyre/train/run/run_hook.h"

#include <utility>

namespace gyre {

void HookContext::RequestCheckpoint(std::string link) {
  wants_checkpoint_ = true;
  if (!link.empty()) links_.insert(std::move(link));
}

void HookContext::RequestStop(std::string why) {
  if (!stop_.has_value()) stop_ = std::move(why);
}

void HookContext::Clear() {
  wants_checkpoint_ = false;
  links_.clear();
  stop_.reset();
  metrics_.Clear();
}

}  // namespace gyre

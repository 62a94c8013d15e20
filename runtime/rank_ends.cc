#include "gyre/runtime/rank_ends.h"

#include <algorithm>
#include <chrono>

#include "gyre/core/exit_code.h"
#include "gyre/core/stop_signals.h"

namespace gyre::internal::inline runtime {

void RankEnds::Add(int index, const Status& status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ended_[index] = true;
  if (!status.ok()) {
    errors_.push_back(status);
    failed_ = failed_ || !StopSignalOf(status).has_value();
  }
  changed_.notify_all();
}

std::vector<int> RankEnds::Wait(double patience_s) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto all = [&] {
    return std::find(ended_.begin(), ended_.end(), false) == ended_.end();
  };
  changed_.wait(lock, [&] { return failed_ || all(); });
  changed_.wait_for(lock, std::chrono::duration<double>(patience_s), all);
  std::vector<int> missing;
  for (std::size_t i = 0; i < ended_.size(); ++i) {
    if (!ended_[i]) missing.push_back(static_cast<int>(i));
  }
  return missing;
}

int RankEnds::ExitCode() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  // From the least telling to the most.
  int code = kExitDone;
  int weight = 0;
  for (const Status& error : errors_) {
    const bool stop = StopSignalOf(error).has_value();
    const int mine = stop ? 1 : KindOf(error) == ErrorKind::kPeer ? 2 : 3;
    if (mine <= weight) continue;
    weight = mine;
    code = ExitCodeOf(error);
  }
  return code;
}

}  // namespace gyre::internal::inline runtime

#include "gyre/train/data/prefetch.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace gyre {

class PrefetchSource::Ahead {
 public:
  Ahead(BatchSource& source, int batches)
      : source_(source),
        most_(static_cast<std::size_t>(std::max(1, batches))) {}
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;
  ~Ahead() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  StatusOr<SampleBatch> Take(std::int64_t step) {
    std::unique_lock<std::mutex> lock(mutex_);
    const bool first = !thread_.joinable();
    const std::int64_t coming = ready_.empty() ? next_ : ready_.front().step;
    if (first || coming != step) {
      ready_.clear();
      next_ = step;
      ++order_;
    }
    if (first) thread_ = std::thread([this] { LoadAhead(); });
    changed_.notify_all();
    changed_.wait(lock, [this] { return !ready_.empty(); });
    Loaded loaded = std::move(ready_.front());
    ready_.pop_front();
    lock.unlock();
    changed_.notify_all();
    if (loaded.thrown) std::rethrow_exception(loaded.thrown);
    return std::move(loaded.batch);
  }

 private:
  struct Loaded {
    std::int64_t step = 0;
    StatusOr<SampleBatch> batch = SampleBatch();
    std::exception_ptr thrown;
  };

  Loaded LoadOne(std::int64_t step) {
    Loaded loaded;
    loaded.step = step;
    try {
      loaded.batch = source_.Load(step);
    } catch (...) {
      loaded.thrown = std::current_exception();
    }
    return loaded;
  }

  void LoadAhead() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return ended_ || ready_.size() < most_; });
      if (ended_) return;
      const std::int64_t step = next_;
      const std::int64_t order = order_;
      lock.unlock();
      Loaded loaded = LoadOne(step);
      lock.lock();
      // The loop may have asked for another step meanwhile.
      if (order != order_) continue;
      ready_.push_back(std::move(loaded));
      ++next_;
      changed_.notify_all();
    }
  }

  BatchSource& source_;
  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Loaded> ready_;  // of steps in a row
  std::int64_t next_ = 0;     // the step that is loaded next
  std::int64_t order_ = 0;    // how often the loop went elsewhere
  bool ended_ = false;
  std::thread thread_;  // begins with the first batch
};

PrefetchSource::PrefetchSource(BatchSource& source,
                               const PrefetchOptions& options)
    : source_(source),
      ahead_(std::make_unique<Ahead>(source, options.batches)) {}

PrefetchSource::~PrefetchSource() = default;

StatusOr<SampleBatch> PrefetchSource::Load(std::int64_t step) {
  return ahead_->Take(step);
}

}  // namespace gyre

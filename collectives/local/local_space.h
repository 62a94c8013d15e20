// The space of ranks that are threads of one process: all memory is shared,
// and a location is an address.

#ifndef GYRE_COLLECTIVES_LOCAL_LOCAL_SPACE_H_
#define GYRE_COLLECTIVES_LOCAL_LOCAL_SPACE_H_

#include <memory>
#include <mutex>
#include <vector>

#include "gyre/collectives/shared_space.h"
#include "gyre/core/aligned.h"

namespace gyre::internal::inline collectives {

// What the threads of one world have in common.
class LocalMemory {
 public:
  explicit LocalMemory(int ranks);

  WorldHeader& header() const {
    return *reinterpret_cast<WorldHeader*>(area_.get());
  }
  // Zeroed; lives as long as this object. Null when there is no more.
  std::byte* Allocate(std::size_t bytes);

 private:
  AlignedBuffer area_;
  std::mutex mutex_;
  std::vector<AlignedBuffer> blocks_;  // guarded by mutex_
};

class LocalSpace final : public SharedSpace {
 public:
  LocalSpace(std::shared_ptr<LocalMemory> memory, int rank)
      : memory_(std::move(memory)), rank_(rank) {}
  ~LocalSpace() override;

  std::string_view backend() const override { return "local"; }
  int rank() const override { return rank_; }
  WorldHeader& header() const override { return memory_->header(); }
  StatusOr<Location> Reserve(std::size_t bytes) override;
  StatusOr<std::byte*> Map(Location location, std::size_t bytes) override;
  Location Find(const void* data, std::size_t bytes) const override;
  std::byte* At(Location location) const override;
  std::vector<int> Ended() override { return {}; }

 private:
  std::shared_ptr<LocalMemory> memory_;
  int rank_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_LOCAL_LOCAL_SPACE_H_

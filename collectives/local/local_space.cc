#include "gyre/collectives/local/local_space.h"

#include "gyre/collectives/host_limits.h"
#include "gyre/collectives/membership.h"
#include "gyre/core/check.h"

namespace gyre::internal::inline collectives {

LocalMemory::LocalMemory(int ranks)
    : area_(AllocateAligned(WorldAreaBytes(ranks))) {
  GYRE_CHECK(area_ != nullptr, "no memory for a world of ", ranks, " ranks");
  InitWorld(header(), ranks, 0, SmallBytesFor(ranks));
}

std::byte* LocalMemory::Allocate(std::size_t bytes) {
  AlignedBuffer block = AllocateAligned(bytes);
  if (block == nullptr) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  blocks_.push_back(std::move(block));
  return blocks_.back().get();
}

LocalSpace::~LocalSpace() { LeaveWorldAs(header(), rank_); }

StatusOr<Location> LocalSpace::Reserve(std::size_t bytes) {
  GYRE_RETURN_IF_ERROR(CheckMemory(bytes));
  std::byte* const block = memory_->Allocate(bytes);
  if (block == nullptr) {
    return ConfigError(bytes,
                       " bytes are needed, and this process gets no "
                       "more memory");
  }
  return reinterpret_cast<Location>(block);
}

StatusOr<std::byte*> LocalSpace::Map(Location location, std::size_t) {
  return At(location);
}

Location LocalSpace::Find(const void* data, std::size_t) const {
  return reinterpret_cast<Location>(data);
}

std::byte* LocalSpace::At(Location location) const {
  return reinterpret_cast<std::byte*>(location);
}

}  // namespace gyre::internal::inline collectives

// The memory that the ranks of one world share, as one rank sees it. Two
// kinds exist: one process's own memory (local/), a nameless file (shm/).

#ifndef GYRE_COLLECTIVES_SHARED_SPACE_H_
#define GYRE_COLLECTIVES_SHARED_SPACE_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "gyre/collectives/control_area.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

class SharedSpace {
 public:
  virtual ~SharedSpace() = default;

  virtual std::string_view backend() const = 0;
  virtual int rank() const = 0;
  virtual WorldHeader& header() const = 0;

  // Takes `bytes` zeroed bytes for the world's use, called by one rank; the
  // ranks that will use them call Map. Error: there is no such memory; the
  // message says how much was asked for and how much there is.
  virtual StatusOr<Location> Reserve(std::size_t bytes) = 0;
  virtual StatusOr<std::byte*> Map(Location location, std::size_t bytes) = 0;

  // Where peers find this memory; kNowhere when they cannot.
  virtual Location Find(const void* data, std::size_t bytes) const = 0;
  // This rank's address of a place that a peer found.
  virtual std::byte* At(Location location) const = 0;

  // The ranks whose process has ended, in whatever way.
  virtual std::vector<int> Ended() = 0;

  int ranks() const { return static_cast<int>(header().ranks); }
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_SHARED_SPACE_H_

// The space of ranks that are processes of one host: a nameless file that
// each of them maps. A location is an offset in it.

#ifndef GYRE_COLLECTIVES_SHM_SHM_SPACE_H_
#define GYRE_COLLECTIVES_SHM_SHM_SPACE_H_

#include <memory>
#include <string_view>
#include <vector>

#include "gyre/collectives/shared_space.h"
#include "gyre/collectives/shm/memfd.h"
#include "gyre/collectives/shm/peer_watch.h"

namespace gyre::internal::inline collectives {

class ShmSpace final : public SharedSpace {
 public:
  // Takes over `fd`, a file that CreateShmWorld made. Errors: it is no such
  // file, of another build, of another run (by the token) or world size.
  static StatusOr<std::shared_ptr<ShmSpace>> Open(int fd,
                                                  int rank,
                                                  int ranks,
                                                  std::string_view token);
  // The rank leaves the world.
  ~ShmSpace() override;

  std::string_view backend() const override { return "shm"; }
  int rank() const override { return rank_; }
  WorldHeader& header() const override {
    return *reinterpret_cast<WorldHeader*>(area_.data());
  }
  StatusOr<Location> Reserve(std::size_t bytes) override;
  StatusOr<std::byte*> Map(Location location, std::size_t bytes) override;
  Location Find(const void* data, std::size_t bytes) const override;
  std::byte* At(Location location) const override;
  std::vector<int> Ended() override { return watch_.Ended(header()); }

 private:
  struct Region {
    Location start;
    Mapping mapping;
  };
  ShmSpace(FileHandle file, Mapping area, int rank, int ranks);

  FileHandle file_;
  Mapping area_;
  int rank_;
  PeerWatch watch_;
  std::vector<Region> regions_;
};

// The file for a new world of `ranks`, to be handed to each of them.
StatusOr<FileHandle> CreateShmWorld(int ranks, std::string_view token);

// A view of a world's header for whoever started it.
StatusOr<Mapping> MapShmWorld(int fd, int ranks);

// A view of the header and the ranks' cells alone, for ranks that meet
// elsewhere and only tell the launcher. Errors: as of ShmSpace::Open.
StatusOr<Mapping> MapShmHeader(int fd, int ranks, std::string_view token);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_SHM_SHM_SPACE_H_

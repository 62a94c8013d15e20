#include "gyre/collectives/shm/shm_space.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "gyre/collectives/host_limits.h"
#include "gyre/collectives/membership.h"
#include "gyre/core/hash.h"

namespace gyre::internal::inline collectives {
namespace {

Status CheckHeader(const WorldHeader& world,
                   int ranks,
                   std::string_view token) {
  if (world.magic.load() != kAreaMagic) {
    return ConfigError(
        "the shared memory that was handed to this rank is "
        "none of Gyre's");
  }
  if (world.version != kAreaVersion) {
    return ConfigError(
        "the shared memory was laid out by another version of "
        "Gyre (layout ",
        world.version,
        ", this program has ",
        kAreaVersion,
        "); rebuild the launcher and the "
        "program together");
  }
  if (world.token != Hash64(token)) {
    return ConfigError(
        "the shared memory belongs to another run (the run "
        "token differs)");
  }
  if (world.ranks != static_cast<std::uint32_t>(ranks)) {
    return ConfigError("the shared memory is for ",
                       world.ranks,
                       " ranks, "
                       "this rank was told of ",
                       ranks);
  }
  return OkStatus();
}

Status CheckFile(int fd, int ranks) {
  struct stat info = {};
  const bool open = ::fstat(fd, &info) == 0;
  if (open && S_ISREG(info.st_mode) &&
      info.st_size >= static_cast<off_t>(WorldAreaBytes(ranks))) {
    return OkStatus();
  }
  return ConfigError("file descriptor ",
                     fd,
                     " is not the shared memory of "
                     "a world of ",
                     ranks,
                     "; start the ranks with gyre "
                     "launch");
}

}  // namespace

StatusOr<FileHandle> CreateShmWorld(int ranks, std::string_view token) {
  GYRE_ASSIGN_OR_RETURN(FileHandle file, CreateMemfd("gyre"));
  GYRE_RETURN_IF_ERROR(ReserveBytes(file.get(), 0, WorldAreaBytes(ranks)));
  GYRE_ASSIGN_OR_RETURN(const Mapping area, MapShmWorld(file.get(), ranks));
  InitWorld(*reinterpret_cast<WorldHeader*>(area.data()),
            ranks,
            Hash64(token),
            SmallBytesFor(ranks));
  return file;
}

StatusOr<Mapping> MapShmWorld(int fd, int ranks) {
  return MapShared(fd, 0, WorldAreaBytes(ranks));
}

StatusOr<Mapping> MapShmHeader(int fd, int ranks, std::string_view token) {
  GYRE_RETURN_IF_ERROR(CheckFile(fd, ranks));
  const std::size_t bytes =
      AlignUp(WorldBlockOffset(ranks) + sizeof(GroupHeader), 4096);
  GYRE_ASSIGN_OR_RETURN(Mapping header, MapShared(fd, 0, bytes));
  GYRE_RETURN_IF_ERROR(CheckHeader(
      *reinterpret_cast<const WorldHeader*>(header.data()), ranks, token));
  return header;
}

StatusOr<std::shared_ptr<ShmSpace>> ShmSpace::Open(int fd,
                                                   int rank,
                                                   int ranks,
                                                   std::string_view token) {
  GYRE_RETURN_IF_ERROR(CheckFile(fd, ranks));
  FileHandle file(fd);
  // Programs that a rank starts are no ranks.
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  GYRE_ASSIGN_OR_RETURN(Mapping area, MapShmWorld(fd, ranks));
  GYRE_RETURN_IF_ERROR(CheckHeader(
      *reinterpret_cast<const WorldHeader*>(area.data()), ranks, token));
  return std::shared_ptr<ShmSpace>(
      new ShmSpace(std::move(file), std::move(area), rank, ranks));
}

ShmSpace::ShmSpace(FileHandle file, Mapping area, int rank, int ranks)
    : file_(std::move(file)),
      area_(std::move(area)),
      rank_(rank),
      watch_(ranks) {}

ShmSpace::~ShmSpace() { LeaveWorldAs(header(), rank_); }

StatusOr<Location> ShmSpace::Reserve(std::size_t bytes) {
  const std::size_t whole = AlignUp(bytes, 4096);
  const Location start = header().end.fetch_add(whole);
  GYRE_RETURN_IF_ERROR(ReserveBytes(file_.get(), start, whole));
  return start;
}

StatusOr<std::byte*> ShmSpace::Map(Location location, std::size_t bytes) {
  GYRE_ASSIGN_OR_RETURN(Mapping mapping,
                        MapShared(file_.get(), location, AlignUp(bytes, 4096)));
  regions_.push_back({location, std::move(mapping)});
  return regions_.back().mapping.data();
}

Location ShmSpace::Find(const void* data, std::size_t bytes) const {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  for (const Region& region : regions_) {
    const auto base = reinterpret_cast<std::uintptr_t>(region.mapping.data());
    if (address >= base && address - base <= region.mapping.bytes() &&
        bytes <= region.mapping.bytes() - (address - base)) {
      return region.start + (address - base);
    }
  }
  return kNowhere;
}

std::byte* ShmSpace::At(Location location) const {
  for (const Region& region : regions_) {
    if (location >= region.start &&
        location - region.start < region.mapping.bytes()) {
      return region.mapping.data() + (location - region.start);
    }
  }
  return nullptr;
}

}  // namespace gyre::internal::inline collectives

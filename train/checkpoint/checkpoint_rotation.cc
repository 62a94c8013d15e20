#include "gyre/train/checkpoint/checkpoint_rotation.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include "gyre/core/io/file.h"
#include "gyre/core/log.h"
#include "gyre/train/checkpoint/checkpoint_files.h"

namespace gyre::internal::inline train {
namespace {

constexpr std::string_view kPartial = ".partial-";

void RemoveFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) LogWarning("cannot remove ", path, ": ", error.message());
}

Status CannotRename(const std::string& from, const std::string& to) {
  return CheckpointError(
      "cannot rename ", from, " to ", to, ": ", std::strerror(errno));
}

// Puts `from` in the place of `to`, at once where the file system can.
Status Replace(const std::string& from, const std::string& to) {
  if (!FileExists(to)) {
    if (::rename(from.c_str(), to.c_str()) == 0) return OkStatus();
    return CannotRename(from, to);
  }
  if (::renameat2(
          AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
    RemoveFolder(from);
    return OkStatus();
  }
  const std::string old = from + ".old";
  if (::rename(to.c_str(), old.c_str()) != 0) return CannotRename(to, old);
  if (::rename(from.c_str(), to.c_str()) != 0) return CannotRename(from, to);
  RemoveFolder(old);
  return OkStatus();
}

std::string LinkTarget(const std::string& link) {
  std::error_code error;
  const auto target = std::filesystem::read_symlink(link, error);
  return error ? std::string() : target.filename().string();
}

Status PointLinks(const std::string& checkpoints,
                  const std::string& name,
                  bool good) {
  const std::string first_bad = checkpoints + "/first-bad";
  GYRE_RETURN_IF_ERROR(
      ReplaceSymlink(checkpoints + "/latest", name, kCheckpointError));
  if (good) {
    // One written again, after a resume from before it, may be good by now.
    if (LinkTarget(first_bad) == name) ::unlink(first_bad.c_str());
    return ReplaceSymlink(checkpoints + "/last-good", name, kCheckpointError);
  }
  const std::string last_good = checkpoints + "/last-good";
  if (LinkTarget(last_good) == name) ::unlink(last_good.c_str());
  if (FileExists(first_bad)) return OkStatus();
  return ReplaceSymlink(first_bad, name, kCheckpointError);
}

}  // namespace

std::string PartialFolder(const std::string& checkpoints,
                          const std::string& name) {
  return Cat(checkpoints, "/", kPartial, name);
}

void RemovePartial(const std::string& folder) { RemoveFolder(folder); }

Status PublishCheckpoint(const std::string& checkpoints,
                         const std::string& partial,
                         const std::string& name,
                         bool good,
                         const std::vector<std::string>& links) {
  GYRE_RETURN_IF_ERROR(Replace(partial, checkpoints + "/" + name));
  // The links come after, and their renames bring the folder to the disk.
  GYRE_RETURN_IF_ERROR(PointLinks(checkpoints, name, good));
  for (const std::string& link : links) {
    if (!good) break;
    GYRE_RETURN_IF_ERROR(
        ReplaceSymlink(checkpoints + "/" + link, name, kCheckpointError));
  }
  return OkStatus();
}

Status RotateCheckpoints(const std::string& checkpoints, std::int64_t keep) {
  GYRE_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                        ListDirectory(checkpoints, kCheckpointError));
  for (const std::string& name : names) {
    if (name.rfind(kPartial, 0) == 0) RemoveFolder(checkpoints + "/" + name);
  }
  if (keep == 0) return OkStatus();
  std::set<std::string> pinned;
  for (const std::string& link : names) {
    pinned.insert(LinkTarget(checkpoints + "/" + link));
  }
  GYRE_ASSIGN_OR_RETURN(const std::vector<CheckpointEntry> entries,
                        ListCheckpoints(checkpoints));
  const std::int64_t old = static_cast<std::int64_t>(entries.size()) - keep;
  for (std::int64_t i = 0; i < old; ++i) {
    if (pinned.count(entries[i].name) > 0) continue;
    // Under another name first: half removed, it must not look like one.
    const std::string from = checkpoints + "/" + entries[i].name;
    const std::string to = PartialFolder(checkpoints, entries[i].name);
    if (::rename(from.c_str(), to.c_str()) == 0) {
      RemoveFolder(to);
    } else {
      LogWarning(Message(CannotRename(from, to)));
    }
  }
  return OkStatus();
}

}  // namespace gyre::internal::inline train

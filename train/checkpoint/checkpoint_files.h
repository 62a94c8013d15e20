// The files of a checkpoint, as they are on disk, and nothing of what they
// mean: who loads one, and who looks for the newest whole one, read it here.
//
//   GYRE_ASSIGN_OR_RETURN(const Json manifest, ReadManifest(folder));
//   GYRE_ASSIGN_OR_RETURN(const TensorsByName tensors,
//                         ReadVerified(folder, manifest));
//
// Every tensor is held against its hash in the manifest; one that differs is
// named, with its file. Nothing is ever repaired.

#ifndef GYRE_TRAIN_CHECKPOINT_CHECKPOINT_FILES_H_
#define GYRE_TRAIN_CHECKPOINT_CHECKPOINT_FILES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/core/tensor.h"

namespace gyre::internal::inline train {

// Of manifest.json; older ones are read, too.
inline constexpr std::int64_t kCheckpointFormat = 2;

// What a checkpoint that cannot be written or read is to the program.
inline constexpr ErrorKind kCheckpointError = ErrorKind::kCheckpoint;

using TensorsByName = std::map<std::string, Tensor>;

// Where below or beside `path`, which is a checkpoint, a link to one or a run
// directory (of which the latest is meant), the checkpoint's own folder is:
// "", "step-00000100", "checkpoints/step-00000100". A link is followed once,
// here, so that all who are told the place read one checkpoint, whatever the
// link points to by then.
StatusOr<std::string> PlaceOfCheckpoint(const std::string& path);
// The folder at such a place.
std::string FolderAt(const std::string& path, const std::string& place);

// Errors: no manifest, none that can be read, of a newer format.
StatusOr<Json> ReadManifest(const std::string& folder);

// Writes tensors into as few files as hold `most_bytes` each (a tensor that is
// larger has one for itself), and adds "files" and "hashes" to the manifest,
// which it does not write.
Status WriteTensors(const TensorsByName& tensors,
                    const std::string& folder,
                    Json& manifest,
                    std::size_t most_bytes = std::size_t{1} << 30);

StatusOr<TensorsByName> ReadVerified(const std::string& folder,
                                     const Json& manifest);

// Whether all of it is there, to the bit.
Status VerifyCheckpoint(const std::string& folder);

// A checkpoint that is there: its place in time, and whether it may be used.
struct CheckpointEntry {
  std::string name;  // "step-00000100"
  std::int64_t step = 0;
  std::int64_t sequence = 0;  // the how manyth the run wrote; 0: not said
  bool good = false;
};

// Of a folder "checkpoints", in the order in which they were written. What has
// no manifest that can be read is left out, with a warning.
StatusOr<std::vector<CheckpointEntry>> ListCheckpoints(
    const std::string& folder);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_CHECKPOINT_CHECKPOINT_FILES_H_

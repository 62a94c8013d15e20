// A checkpoint as files: its manifest and its tensors, verified.
//
//   GYRE_ASSIGN_OR_RETURN(const CheckpointFiles files,
//                         ReadCheckpointFiles("runs/storm"));
//   files.tensors.at("params/head.w")
//   files.problems              // "params/head.w: its hash is not ..."
//
// This reads any checkpoint without the program that made it. It is for
// looking: what does not fit the manifest is reported, not refused.

#ifndef GYRE_MONITOR_INSPECT_CHECKPOINT_FILES_H_
#define GYRE_MONITOR_INSPECT_CHECKPOINT_FILES_H_

#include <map>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/core/tensor.h"

namespace gyre::internal::inline monitor {

struct CheckpointFiles {
  std::string folder;
  Json manifest;
  std::map<std::string, Tensor> tensors;
  std::vector<std::string> problems;
};

// A checkpoint's folder, or a run directory, of which the latest is taken.
StatusOr<CheckpointFiles> ReadCheckpointFiles(const std::string& path);

bool IsCheckpoint(const std::string& path);   // has a manifest
bool HasCheckpoint(const std::string& path);  // it, or its latest, has one

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_INSPECT_CHECKPOINT_FILES_H_

// Scalars in the event files of TensorBoard.
//
//   GYRE_ASSIGN_OR_RETURN(TensorboardWriter board,
//                         TensorboardWriter::Open("runs/storm/tensorboard"));
//   GYRE_RETURN_IF_ERROR(board.Write(7, {{"loss", 0.3}, {"lr", 1e-3}}));
//   GYRE_RETURN_IF_ERROR(board.Close());
//
// On disk: TFRecords (length, checksum, data, checksum), each an Event message
// of protocol buffers, encoded here by hand: wall_time, step, and a Summary of
// values with a tag and a number. A NaN is written as a NaN.
//
// Records are collected and written together, as in monitor/metrics.h. Each
// Open begins a file of its own, which is how TensorBoard knows a restart.
//
// WARNING 1: TensorBoard keeps f32: 53-bit numbers lose digits. The record
// that counts is metrics.jsonl.

#ifndef GYRE_MONITOR_SINKS_TENSORBOARD_H_
#define GYRE_MONITOR_SINKS_TENSORBOARD_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/core/io/file_descriptor.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline monitor {

class TensorboardWriter {
 public:
  using Scalar = std::pair<std::string_view, double>;  // tag, value

  // Makes the folder and, in it, a new file. Of a run that goes on, with the
  // step that it begins with: what earlier files have of it and later steps
  // is not shown any more.
  static StatusOr<TensorboardWriter> Open(const std::string& folder,
                                          std::int64_t first_step = 0);
  // Goes on with a file of path() that was closed.
  static StatusOr<TensorboardWriter> Append(const std::string& path);
  TensorboardWriter(TensorboardWriter&&) = default;
  TensorboardWriter& operator=(TensorboardWriter&&) = delete;
  ~TensorboardWriter();  // writes what is left; Close also says if that failed

  // `now`: write at once, since the end may be near.
  Status Write(std::int64_t step,
               const std::vector<Scalar>& scalars,
               bool now = false);
  Status Flush();
  Status Close();
  const std::string& path() const { return path_; }

 private:
  TensorboardWriter(internal::FileDescriptor file, std::string path);

  internal::FileDescriptor file_;
  std::string path_;
  std::string waiting_;
  std::int64_t last_flush_ns_;
};

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SINKS_TENSORBOARD_H_

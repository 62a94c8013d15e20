// Lines of records that are collected and written together: after a second,
// after 64 KiB, when asked, and at the end.

#ifndef GYRE_MONITOR_BUFFERED_LINES_H_
#define GYRE_MONITOR_BUFFERED_LINES_H_

#include <cstdint>
#include <string>
#include <utility>

#include "gyre/core/io/json.h"
#include "gyre/core/io/line_writer.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline monitor {

class BufferedLines {
 public:
  static StatusOr<BufferedLines> Open(const std::string& path);
  BufferedLines(BufferedLines&&) = default;
  BufferedLines& operator=(BufferedLines&&) = delete;
  ~BufferedLines();  // writes what is left; Close also says if that failed

  // `now`: write at once, since the end may be near.
  Status Write(const Json& record, bool now = false);
  Status Flush();
  Status Close();

 private:
  explicit BufferedLines(LineWriter writer);

  LineWriter writer_;
  std::string lines_;
  std::int64_t last_flush_ns_;
};

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_BUFFERED_LINES_H_

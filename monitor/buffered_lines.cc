#include "gyre/monitor/buffered_lines.h"

#include "gyre/core/clock.h"

namespace gyre::internal::inline monitor {
namespace {

constexpr std::int64_t kFlushNanos = 1'000'000'000;
constexpr std::size_t kFlushBytes = 64 * 1024;

}  // namespace

BufferedLines::BufferedLines(LineWriter writer)
    : writer_(std::move(writer)), last_flush_ns_(NowNanos()) {}

StatusOr<BufferedLines> BufferedLines::Open(const std::string& path) {
  GYRE_ASSIGN_OR_RETURN(LineWriter writer, LineWriter::Open(path));
  return BufferedLines(std::move(writer));
}

BufferedLines::~BufferedLines() { Flush().IgnoreError(); }

Status BufferedLines::Write(const Json& record, bool now) {
  lines_ += record.Dump();
  lines_ += '\n';
  const bool due = now || NowNanos() - last_flush_ns_ >= kFlushNanos ||
                   lines_.size() >= kFlushBytes;
  return due ? Flush() : OkStatus();
}

Status BufferedLines::Flush() {
  last_flush_ns_ = NowNanos();
  if (lines_.empty()) return OkStatus();
  // Emptied even if the disk is full: better to lose lines than to grow.
  return writer_.WriteBlock(std::exchange(lines_, {}));
}

Status BufferedLines::Close() {
  GYRE_RETURN_IF_ERROR(Flush());
  return writer_.Close();
}

}  // namespace gyre::internal::inline monitor

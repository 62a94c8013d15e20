#include "gyre/monitor/flight/flight_recorder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "gyre/core/clock.h"
#include "gyre/monitor/flight/safe_text.h"

namespace gyre::internal::inline monitor {
namespace {

template <std::size_t N>
void CopyCut(std::string_view from, char (&to)[N]) {
  const std::size_t n = std::min(from.size(), N - 1);
  std::memcpy(to, from.data(), n);
  to[n] = '\0';
}

// The first of `count` that is still whole: of a full ring the oldest may be
// half overwritten.
std::uint64_t Oldest(std::uint64_t count) {
  constexpr std::uint64_t kWhole = FlightRecorder::kKept - 1;
  return count > kWhole ? count - kWhole : 0;
}

}  // namespace

void FlightRecorder::Step(StepEntry entry) {
  entry.time_ns = NowNanos();
  const std::uint64_t at = steps_.load(std::memory_order_relaxed);
  step_ring_[at % kKept] = entry;
  steps_.store(at + 1, std::memory_order_release);
}

std::uint64_t FlightRecorder::Enter(std::string_view op,
                                    std::string_view label,
                                    std::int64_t bytes) {
  const std::uint64_t at = collectives_.load(std::memory_order_relaxed);
  CollectiveEntry& entry = collective_ring_[at % kKept];
  entry.leave_ns = 0;
  entry.last_rank = -1;
  entry.bytes = bytes;
  CopyCut(op, entry.op);
  CopyCut(label, entry.label);
  entry.enter_ns = NowNanos();
  collectives_.store(at + 1, std::memory_order_release);
  return at;
}

void FlightRecorder::Leave(std::uint64_t collective,
                           int last_rank,
                           std::int64_t behind_ns) {
  CollectiveEntry& entry = collective_ring_[collective % kKept];
  entry.behind_ns = behind_ns;
  entry.last_rank = last_rank;
  entry.leave_ns = NowNanos();
}

bool FlightRecorder::Dump(const char* path, const char* reason) const {
  const int fd = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return false;
  const std::uint64_t steps = steps_.load(std::memory_order_acquire);
  const std::uint64_t collectives =
      collectives_.load(std::memory_order_acquire);
  SafeText out(fd);
  out.Text("{\"flight_recorder\":1,\"rank\":")
      .Integer(rank_)
      .Text(",\"reason\":")
      .Quoted(reason)
      .Text(",\"now_ns\":")
      .Integer(NowNanos())
      .Text(",\"steps\":")
      .Integer(static_cast<std::int64_t>(steps))
      .Text(",\"collectives\":")
      .Integer(static_cast<std::int64_t>(collectives))
      .Text("}\n");
  for (std::uint64_t i = Oldest(steps); i < steps; ++i) {
    const StepEntry& e = step_ring_[i % kKept];
    out.Text("{\"step\":").Integer(e.step);
    out.Text(",\"time_ns\":").Integer(e.time_ns);
    out.Text(",\"loss\":").Number(e.loss);
    out.Text(",\"grad_norm\":").Number(e.grad_norm);
    out.Text(",\"local_norm\":").Number(e.local_norm);
    out.Text(",\"lr\":").Number(e.lr);
    out.Text(",\"step_ms\":").Number(e.step_ms);
    out.Text(",\"wait_ms\":").Number(e.wait_ms);
    out.Text(",\"bad_elements\":").Integer(e.bad_elements);
    out.Text(e.applied ? ",\"applied\":true}\n" : ",\"applied\":false}\n");
  }
  for (std::uint64_t i = Oldest(collectives); i < collectives; ++i) {
    const CollectiveEntry& e = collective_ring_[i % kKept];
    out.Text("{\"collective\":").Integer(static_cast<std::int64_t>(i));
    out.Text(",\"op\":").Quoted(e.op);
    out.Text(",\"label\":").Quoted(e.label);
    out.Text(",\"bytes\":").Integer(e.bytes);
    out.Text(",\"enter_ns\":").Integer(e.enter_ns);
    if (e.leave_ns != 0) out.Text(",\"leave_ns\":").Integer(e.leave_ns);
    if (e.last_rank >= 0) {
      out.Text(",\"last_rank\":").Integer(e.last_rank);
      out.Text(",\"behind_ns\":").Integer(e.behind_ns);
    }
    out.Text("}\n");
  }
  out.Flush();
  ::close(fd);
  return true;
}

}  // namespace gyre::internal::inline monitor

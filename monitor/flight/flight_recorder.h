// The last steps and collectives of a rank, kept in memory until they matter.
//
//   FlightRecorder flight(rank);
//   flight.Step({.step = 7, .loss = 0.3, .grad_norm = 1.2, ...});
//   const auto at = flight.Enter("all_reduce", "gradients", bytes);
//   ... flight.Leave(at, last_rank, behind_ns);
//   flight.Dump("runs/storm/flight/00003.jsonl", "skip");
//
// Two rings of fixed size: 1,024 steps and 1,024 collectives. Recording costs
// a few stores. Dump writes JSON lines, a head first, then the steps and the
// collectives from the oldest to the newest; a collective that was not left
// has no "leave_ns": that is where the rank hangs.
//
// WARNING 1: one thread records. Dump may interrupt it at any point, also
// from a signal handler (monitor/flight/signal_dump.h): it asks for no memory
// and takes no lock. The entry that is being overwritten is left out.

#ifndef GYRE_MONITOR_FLIGHT_FLIGHT_RECORDER_H_
#define GYRE_MONITOR_FLIGHT_FLIGHT_RECORDER_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace gyre::internal::inline monitor {

class FlightRecorder {
 public:
  static constexpr std::uint64_t kKept = 1024;

  struct StepEntry {
    std::int64_t step = 0;
    std::int64_t time_ns = 0;  // NowNanos(); set by Step
    double loss = 0;
    double grad_norm = 0;
    double local_norm = 0;
    double lr = 0;
    double step_ms = 0;
    double wait_ms = 0;
    std::int64_t bad_elements = 0;
    bool applied = true;
  };

  explicit FlightRecorder(int rank) : rank_(rank) {}
  FlightRecorder(const FlightRecorder&) = delete;
  FlightRecorder& operator=(const FlightRecorder&) = delete;

  void Step(StepEntry entry);

  // `op` and `label` are cut to 15 and 47 bytes. The result goes to Leave.
  std::uint64_t Enter(std::string_view op,
                      std::string_view label,
                      std::int64_t bytes);
  // `last_rank` entered last, so long after the last but one; -1: not known.
  void Leave(std::uint64_t collective,
             int last_rank = -1,
             std::int64_t behind_ns = 0);

  // Replaces the file. False if it cannot be opened. Async-signal-safe.
  bool Dump(const char* path, const char* reason) const;

  int rank() const { return rank_; }

 private:
  struct CollectiveEntry {
    std::int64_t enter_ns = 0;
    std::int64_t leave_ns = 0;
    std::int64_t bytes = 0;
    std::int64_t behind_ns = 0;
    int last_rank = -1;
    char op[16] = {};
    char label[48] = {};
  };

  int rank_;
  std::atomic<std::uint64_t> steps_ = 0;        // recorded so far
  std::atomic<std::uint64_t> collectives_ = 0;  // entered so far
  std::array<StepEntry, kKept> step_ring_;
  std::array<CollectiveEntry, kKept> collective_ring_;
};

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_FLIGHT_FLIGHT_RECORDER_H_

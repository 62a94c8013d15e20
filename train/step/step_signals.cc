#include "gyre/train/step/step_signals.h"

#include <signal.h>

namespace gyre::internal::inline train {
namespace {

constexpr std::uint32_t kStopTerm = 1u << 8;
constexpr std::uint32_t kStopUser = 1u << 9;
constexpr std::uint32_t kEndByError = 1u << 10;

}  // namespace

std::uint32_t FlagsOf(const StepSignals& signals) {
  std::uint32_t flags = signals.end ? kEndByError : 0;
  if (signals.stop == 0) return flags;
  return flags | (signals.stop == SIGUSR1 ? kStopUser : kStopTerm);
}

StepSignals AgreedSignals(std::span<const ControlRecord> records) {
  std::uint32_t flags = 0;
  for (const ControlRecord& record : records) flags |= record.note.flags;
  StepSignals agreed;
  if (flags & kStopUser) agreed.stop = SIGUSR1;
  if (flags & kStopTerm) agreed.stop = SIGTERM;
  agreed.end = (flags & kEndByError) != 0;
  return agreed;
}

}  // namespace gyre::internal::inline train

#include "apps/gyre/launch/verdict.h"

#include <signal.h>

#include <algorithm>
#include <cstring>

#include "apps/gyre/launch/rank_span.h"
#include "gyre/core/exit_code.h"

namespace gyre::internal::inline apps {
namespace {

std::string_view Meaning(int code) {
  switch (code) {
    case kExitUsage:
      return " (usage or configuration)";
    case kExitData:
      return " (data)";
    case kExitPeer:
      return " (a peer was lost or late)";
    case kExitMismatch:
      return " (ranks disagree)";
    case kExitGuard:
      return " (the guard's budget is spent)";
    case kExitCheckpoint:
      return " (checkpoint)";
    case kExitInternal:
      return " (internal error)";
    default:
      return "";
  }
}

// Errors that the next attempt would run into as well.
bool WouldComeAgain(int code) {
  return code == kExitUsage || code == kExitData || code == kExitGuard ||
         code == kExitCheckpoint;
}

Verdict Stopped(int signal) {
  return {128 + signal,
          Cat("stopped by signal ", signal, " (", strsignal(signal), ")")};
}

Verdict Describe(const RankEnd& end, const std::string& name) {
  if (end.signal != 0) {
    return {kExitPeer,
            Cat(name,
                end.ranks == 1 ? " was" : " were",
                " killed by signal ",
                end.signal,
                " (",
                strsignal(end.signal),
                ")"),
            true};
  }
  return {end.code,
          Cat(name, " failed with exit code ", end.code, Meaning(end.code)),
          !WouldComeAgain(end.code)};
}

bool Hosts(const RankEnd& end, const std::optional<GivingUp>& gave_up) {
  return gave_up.has_value() &&
         RankSpan{end.rank, end.ranks}.Has(gave_up->rank);
}

// The rank that the process's exit code is from, as far as can be told.
std::string NameOf(const RankEnd& end, const std::optional<GivingUp>& gave_up) {
  const bool its_code =
      end.signal == 0 && Hosts(end, gave_up) &&
      (gave_up->kind == ErrorKind::kPeer) == (end.code == kExitPeer);
  return its_code ? Cat("rank ", gave_up->rank) : Name({end.rank, end.ranks});
}

template <class Test>
const RankEnd* First(std::span<const RankEnd> ends, const Test& test) {
  const auto it = std::find_if(ends.begin(), ends.end(), test);
  return it == ends.end() ? nullptr : &*it;
}

}  // namespace

bool WasStopped(const RankEnd& end) {
  return end.signal == 0 &&
         (end.code == 128 + SIGTERM || end.code == 128 + SIGUSR1);
}

Verdict Judge(std::span<const RankEnd> ends,
              const std::optional<GivingUp>& gave_up,
              int stopped_by,
              const std::function<std::string(int)>& name) {
  const auto describe = [&](const RankEnd& end) {
    return Describe(end, name ? name(end.rank) : NameOf(end, gave_up));
  };
  const auto failed = [](const RankEnd& end) {
    return !end.ended_by_us && (end.signal != 0 || end.code != 0);
  };
  const auto unwell = [](const RankEnd& end) {
    return end.signal != 0 || end.code != 0;
  };
  if (First(ends, unwell) == nullptr) return {};
  if (stopped_by != 0) return Stopped(stopped_by);
  // A rank that crashed or was killed pulls the others down with it.
  if (const RankEnd* end = First(
          ends, [&](const RankEnd& e) { return failed(e) && e.signal != 0; })) {
    return describe(*end);
  }
  // The rank that gave up first may be slower to end than those it told.
  if (gave_up.has_value() && gave_up->kind != ErrorKind::kPeer) {
    if (const RankEnd* end = First(ends, [&](const RankEnd& e) {
          return failed(e) && Hosts(e, gave_up);
        })) {
      return describe(*end);
    }
  }
  // The ranks may have been told by others than the launcher.
  if (const RankEnd* end = First(ends, [](const RankEnd& e) {
        return WasStopped(e) && !e.ended_by_us;
      })) {
    return Stopped(end->code - 128);
  }
  // "A peer was lost" is an effect when another rank has a cause to tell.
  if (const RankEnd* end = First(ends, [&](const RankEnd& e) {
        return failed(e) && e.code != kExitPeer;
      })) {
    return describe(*end);
  }
  if (const RankEnd* end = First(ends, failed)) return describe(*end);
  return describe(*First(ends, unwell));
}

}  // namespace gyre::internal::inline apps

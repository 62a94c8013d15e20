#include "gyre/runtime/run_main.h"

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "gyre/collectives/describe.h"
#include "gyre/collectives/hosted_ranks.h"
#include "gyre/core/cpu_check.h"
#include "gyre/core/exit_code.h"
#include "gyre/core/log.h"
#include "gyre/core/stop_signals.h"
#include "gyre/runtime/rank_ends.h"
#include "gyre/runtime/run_environment.h"

namespace gyre {

using namespace internal;

namespace {

using Body = std::function<Status(World&)>;

// One rank, from joining to its last word.
Status RunRank(HostedRanks& ranks,
               int index,
               const RunContext& context,
               const Body& body) {
  const int rank = ranks.rank(index);
  const auto world = ranks.Join(index);
  if (!world.ok()) {
    ReportError(world.status(), rank, ranks.size());
    return world.status();
  }
  (*world)->comm().set_run_context(context);
  const Status status = body(**world);
  std::fflush(stdout);
  // Done; all that counts an end as a failure is to see none.
  if (status.ok() || IsEarlyEnd(status)) return OkStatus();
  if (StopSignalOf(status).has_value()) {
    // All ranks stop together, and none of them has failed.
    if (rank == 0) LogLine(Message(status));
    return status;
  }
  ReportError(status, rank, ranks.size());
  (*world)->Abort(status);
  return status;
}

// Every rank has a few files open, and limits are made for one.
void AllowMoreFiles() {
  rlimit files = {};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

int RunThreads(HostedRanks& ranks,
               const RunContext& context,
               const Body& body) {
  AllowMoreFiles();
  RankEnds ends(ranks.count());
  std::vector<std::thread> threads;
  for (int i = 0; i < ranks.count(); ++i) {
    threads.emplace_back(
        [&, i] { ends.Add(i, RunRank(ranks, i, context, body)); });
  }
  std::vector<int> missing = ends.Wait(kLastWordsS);
  if (!missing.empty()) {
    for (int& index : missing) index = ranks.rank(index);
    LogLine(Cat(RankList(missing),
                missing.size() == 1 ? " has" : " have",
                " not ended within ",
                kLastWordsS,
                " s of another rank's failure, and ",
                missing.size() == 1 ? "ends" : "end",
                " with the process"));
    std::fflush(stdout);
    std::_Exit(ends.ExitCode());  // the threads still use what exit() destroys
  }
  for (std::thread& thread : threads) thread.join();
  return ends.ExitCode();
}

}  // namespace

int ReportError(const Status& status, int rank, int world_size) {
  if (world_size > 1) {
    LogError("rank ", rank, ": ", Message(status));
  } else {
    LogError(Message(status));
  }
  return ExitCodeOf(status);
}

int RunMain(const Body& body, const WorldOptions& options) {
  IncludeCpuCheck();
  const auto ranks = HostedRanks::Find(options);
  if (!ranks.ok()) {
    // The rank is known only to a launched program whose environment is
    // sound; it is named by the launcher otherwise.
    const auto launch = ReadLaunchEnv(options.env);
    const bool known = launch.ok() && launch->has_value();
    return ReportError(ranks.status(),
                       known ? (*launch)->rank : 0,
                       known ? (*launch)->size : 1);
  }
  const auto context = ReadRunContext(options.env);
  if (!context.ok()) {
    return ReportError(context.status(), (*ranks)->rank(0), (*ranks)->size());
  }
  if ((*ranks)->count() > 1) return RunThreads(**ranks, *context, body);
  const Status status = RunRank(**ranks, 0, *context, body);
  return status.ok() ? int{kExitDone} : ExitCodeOf(status);
}

}  // namespace gyre

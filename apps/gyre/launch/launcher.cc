#include "apps/gyre/launch/launcher.h"

#include <signal.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "apps/gyre/launch/attempt.h"
#include "apps/gyre/launch/orphans.h"
#include "apps/gyre/launch/program_lookup.h"
#include "collectives/grpc/tls_identity.h"
#include "collectives/launch_env.h"
#include "collectives/membership.h"
#include "collectives/shm/shm_space.h"
#include "core/hash.h"
#include "core/log.h"

namespace gyre {
namespace {

std::string MakeToken() {
  std::uint64_t words[2] = {};
  [[maybe_unused]] const ssize_t n = ::getrandom(words, sizeof words, 0);
  return HexHash(words[0]) + HexHash(words[1]);
}

// The certificates of --tls auto, in memory only: ranks open the file through
// /proc, as only the same user can.
StatusOr<FileHandle> MakeRunCertificates() {
  GYRE_ASSIGN_OR_RETURN(const TlsIdentity identity, MakeRunIdentity());
  GYRE_ASSIGN_OR_RETURN(FileHandle file, CreateMemfd("gyre-tls"));
  const std::string text = Bundle(identity);
  if (::write(file.get(), text.data(), text.size()) !=
      static_cast<ssize_t>(text.size())) {
    return InternalError("gyre launch: no memory for certificates");
  }
  return file;
}

// Blocks what the launcher handles; they are read from the returned file.
StatusOr<FileHandle> CatchSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int s : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    sigaddset(&set, s);
  }
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  const int fd = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd < 0) return InternalError("gyre launch: no signalfd");
  return FileHandle(fd);
}

// A program that is asked for JSON has a reader that wants nothing else.
Output::Marks MarksFor(const LaunchOptions& options) {
  if (options.ranks == 1) return Output::Marks::kNone;
  const auto& command = options.command;
  const bool json =
      std::find(command.begin(), command.end(), "--json") != command.end();
  return json || options.plain_rank0 ? Output::Marks::kNotRank0
                                     : Output::Marks::kAll;
}

// One attempt, and what became of it.
StatusOr<Verdict> Try(const LaunchOptions& options,
                      const std::string& program,
                      Output& output,
                      int signals,
                      const Orphans& orphans,
                      int restart) {
  Meeting meeting = {.shm_fd = -1, .token = MakeToken(), .restart = restart};
  GYRE_ASSIGN_OR_RETURN(const FileHandle shm,
                        CreateShmWorld(options.ranks, meeting.token));
  GYRE_ASSIGN_OR_RETURN(const Mapping area,
                        MapShmWorld(shm.get(), options.ranks));
  meeting.shm_fd = shm.get();
  Attempt attempt(options, output, signals);
  const Status started = attempt.Start(program, meeting);
  std::vector<RankEnd> ends;
  if (started.ok()) ends = attempt.Run();
  orphans.End();
  GYRE_RETURN_IF_ERROR(started);
  std::optional<GivingUp> gave_up;
  if (const auto notice =
          ReadAbort(*reinterpret_cast<const WorldHeader*>(area.data()))) {
    gave_up = GivingUp{notice->rank, notice->kind};
  }
  return Judge(ends, gave_up, attempt.stopped_by());
}

}  // namespace

StatusOr<int> Launch(const LaunchOptions& asked) {
  LaunchOptions options = asked;
  // Open, and with it the ranks' path to it, until the end.
  FileHandle certificates;
  if (options.network.tls == "auto") {
    GYRE_ASSIGN_OR_RETURN(certificates, MakeRunCertificates());
    options.network.tls = Cat("/proc/", ::getpid(), "/fd/", certificates.get());
  }
  GYRE_ASSIGN_OR_RETURN(
      const std::string program,
      FindProgram(options.command[0],
                  OwnFolder(),
                  ProcessEnv("PATH").value_or("/usr/bin:/bin")));
  GYRE_ASSIGN_OR_RETURN(
      Output output,
      Output::Open(options.ranks, MarksFor(options), options.log_dir));
  GYRE_ASSIGN_OR_RETURN(const FileHandle signals, CatchSignals());
  const Orphans orphans;
  for (int restart = 0;; ++restart) {
    GYRE_ASSIGN_OR_RETURN(
        const Verdict verdict,
        Try(options, program, output, signals.get(), orphans, restart));
    for (const std::string& line : output.RepeatedErrorLines()) {
      LogLine(Cat("gyre launch: ", line));
    }
    const bool again =
        verdict.worth_restarting && restart < options.max_restarts;
    if (!verdict.line.empty()) {
      LogLine(Cat(
          "gyre launch: ",
          verdict.line,
          again ? Cat("; restart ", restart + 1, " of ", options.max_restarts)
                : std::string()));
    }
    if (!again) return verdict.exit_code;
  }
}

}  // namespace gyre

#include "apps/gyre/launch/launcher.h"

#include <signal.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "apps/gyre/launch/attempt.h"
#include "apps/gyre/launch/hosts/host_command.h"
#include "apps/gyre/launch/hosts/host_file.h"
#include "apps/gyre/launch/hosts/serve_part.h"
#include "apps/gyre/launch/orphans.h"
#include "apps/gyre/launch/program_lookup.h"
#include "gyre/collectives/grpc/tls_identity.h"
#include "gyre/collectives/launch_env.h"
#include "gyre/collectives/membership.h"
#include "gyre/collectives/shm/shm_space.h"
#include "gyre/core/hash.h"
#include "gyre/core/io/file.h"
#include "gyre/core/log.h"

namespace gyre::internal::inline apps {
namespace {

std::string MakeToken() {
  std::uint64_t words[2] = {};
  [[maybe_unused]] const ssize_t n = ::getrandom(words, sizeof words, 0);
  return HexHash(words[0]) + HexHash(words[1]);
}

// What all attempts have in common.
struct Launching {
  const LaunchOptions& options;
  Output& output;
  const Watchdog& watchdog;
  int signals;
  const Orphans& orphans;
};

// Runs the processes to their end.
StatusOr<std::vector<RankEnd>> RunAll(const Launching& launching,
                                      const std::vector<RankCommand>& commands,
                                      int& stopped_by) {
  Attempt attempt(launching.options.grace_s,
                  launching.output,
                  launching.watchdog,
                  launching.signals);
  const Status started = attempt.Start(commands);
  std::vector<RankEnd> ends;
  if (started.ok()) ends = attempt.Run();
  launching.orphans.End();
  GYRE_RETURN_IF_ERROR(started);
  stopped_by = attempt.stopped_by();
  return ends;
}

// One attempt on this host, and what became of it.
StatusOr<Verdict> TryHere(const Launching& launching,
                          const std::string& program,
                          int restart) {
  const int ranks = launching.options.ranks;
  Meeting meeting;
  meeting.token = MakeToken();
  meeting.restart = restart;
  GYRE_ASSIGN_OR_RETURN(const FileHandle shm,
                        CreateShmWorld(ranks, meeting.token));
  GYRE_ASSIGN_OR_RETURN(const Mapping area, MapShmWorld(shm.get(), ranks));
  meeting.shm_fd = shm.get();
  int stopped_by = 0;
  GYRE_ASSIGN_OR_RETURN(const std::vector<RankEnd> ends,
                        RunAll(launching,
                               CommandsFor(launching.options, program, meeting),
                               stopped_by));
  std::optional<GivingUp> gave_up;
  if (const auto notice =
          ReadAbort(*reinterpret_cast<const WorldHeader*>(area.data()))) {
    gave_up = GivingUp{notice->rank, notice->kind};
  }
  return Judge(ends, gave_up, stopped_by);
}

// One attempt over several hosts.
StatusOr<Verdict> TryHosts(const Launching& launching,
                           const std::vector<HostShare>& shares,
                           const std::string& certificates,
                           int restart) {
  Meeting meeting;
  meeting.token = MakeToken();
  meeting.restart = restart;
  meeting.size = shares.back().first_rank + shares.back().ranks;
  // An address with colons of its own (IPv6) needs brackets beside a port.
  const std::string& address = shares[0].host.address;
  const bool colons = address.find(':') != std::string::npos;
  meeting.coordinator = Cat(colons ? "[" : "",
                            address,
                            colons ? "]:" : ":",
                            PortOfJob(meeting.token));
  std::vector<RankCommand> commands;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    GYRE_ASSIGN_OR_RETURN(RankCommand command,
                          CommandForHost(launching.options,
                                         static_cast<int>(i),
                                         shares[i],
                                         meeting,
                                         certificates));
    commands.push_back(std::move(command));
  }
  int stopped_by = 0;
  GYRE_ASSIGN_OR_RETURN(const std::vector<RankEnd> ends,
                        RunAll(launching, commands, stopped_by));
  return Judge(ends, std::nullopt, stopped_by, [&](int index) {
    return "host " + shares[index].host.name;
  });
}

// Attempts until one is well, or none is worth another.
StatusOr<int> Repeat(const LaunchOptions& options,
                     Output& output,
                     const std::function<StatusOr<Verdict>(int)>& attempt) {
  for (int restart = 0;; ++restart) {
    GYRE_ASSIGN_OR_RETURN(const Verdict verdict, attempt(restart));
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

StatusOr<int> LaunchHere(LaunchOptions options) {
  // Open, and with it the ranks' path to it, until the end.
  FileHandle certificates;
  if (options.network.tls == "auto") {
    GYRE_ASSIGN_OR_RETURN(const TlsIdentity identity, MakeRunIdentity());
    GYRE_ASSIGN_OR_RETURN(certificates,
                          ShareCertificates(Bundle(identity), options.network));
  }
  GYRE_ASSIGN_OR_RETURN(
      const std::string program,
      FindProgram(options.command[0],
                  OwnFolder(),
                  ProcessEnv("PATH").value_or("/usr/bin:/bin")));
  GYRE_ASSIGN_OR_RETURN(
      Output output,
      Output::Open(SpreadRanks(options.ranks, options.processes),
                   MarksFor(options, options.ranks),
                   options.log_dir));
  GYRE_ASSIGN_OR_RETURN(const FileHandle signals, CatchSignals());
  const Watchdog watchdog;
  const Orphans orphans;
  const Launching launching = {
      options, output, watchdog, signals.get(), orphans};
  return Repeat(options, output, [&](int restart) {
    return TryHere(launching, program, restart);
  });
}

StatusOr<int> LaunchOnHosts(const LaunchOptions& options) {
  GYRE_ASSIGN_OR_RETURN(const std::string text,
                        ReadFile(options.hosts, ErrorKind::kConfig));
  GYRE_ASSIGN_OR_RETURN(const std::vector<Host> hosts,
                        ParseHosts(text, options.hosts));
  GYRE_ASSIGN_OR_RETURN(const std::vector<HostShare> shares,
                        ShareOut(hosts, options.ranks));
  std::string certificates;
  if (options.network.tls == "auto") {
    GYRE_ASSIGN_OR_RETURN(const TlsIdentity identity, MakeRunIdentity());
    certificates = Bundle(identity);
  }
  // The launchers there mark the lines, and write the logs.
  GYRE_ASSIGN_OR_RETURN(
      Output output,
      Output::Open(SpreadRanks(static_cast<int>(shares.size()), 0),
                   Output::Marks::kNone,
                   ""));
  GYRE_ASSIGN_OR_RETURN(const FileHandle signals, CatchSignals());
  const Watchdog watchdog;
  const Orphans orphans;
  const Launching launching = {
      options, output, watchdog, signals.get(), orphans};
  return Repeat(options, output, [&](int restart) {
    return TryHosts(launching, shares, certificates, restart);
  });
}

}  // namespace

// In memory only: ranks open the file through /proc, as only the same user
// can.
StatusOr<FileHandle> ShareCertificates(const std::string& text,
                                       NetworkOptions& network) {
  if (text.empty()) return FileHandle();
  GYRE_ASSIGN_OR_RETURN(FileHandle file, CreateMemfd("gyre-tls"));
  if (::write(file.get(), text.data(), text.size()) !=
      static_cast<ssize_t>(text.size())) {
    return InternalError("gyre launch: no memory for certificates");
  }
  network.tls = Cat("/proc/", ::getpid(), "/fd/", file.get());
  return file;
}

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
Output::Marks MarksFor(const LaunchOptions& options, int size) {
  if (size == 1 || options.processes == 1) return Output::Marks::kNone;
  const auto& command = options.command;
  const bool json =
      std::find(command.begin(), command.end(), "--json") != command.end();
  return json || options.plain_rank0 ? Output::Marks::kNotRank0
                                     : Output::Marks::kAll;
}

StatusOr<int> Launch(const LaunchOptions& options) {
  if (options.part) return ServePart();
  return options.hosts.empty() ? LaunchHere(options) : LaunchOnHosts(options);
}

}  // namespace gyre::internal::inline apps

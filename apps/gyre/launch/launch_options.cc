#include "apps/gyre/launch/launch_options.h"

#include <charconv>
#include <cstdlib>

#include "gyre/collectives/control_area.h"

namespace gyre::internal::inline apps {
namespace {

constexpr char kAdvice[] = "; see gyre launch --help";

StatusOr<double> Seconds(const std::string& option,
                         const std::string& text,
                         bool zero_allowed) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool number = !text.empty() && *end == '\0' && value <= 1e9;
  if (!number || !(zero_allowed ? value >= 0 : value > 0)) {
    return ConfigError("gyre launch: ",
                       option,
                       " \"",
                       text,
                       "\": a number of "
                       "seconds was expected",
                       kAdvice);
  }
  return value;
}

StatusOr<int> Count(const std::string& option,
                    const std::string& text,
                    const char* what,
                    int low,
                    int high) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < low || value > high) {
    return ConfigError("gyre launch: ",
                       option,
                       " \"",
                       text,
                       "\": a number of ",
                       what,
                       " from ",
                       low,
                       " to ",
                       high,
                       " was expected",
                       kAdvice);
  }
  return value;
}

Status AddVariable(const std::string& text, LaunchOptions& options) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return ConfigError("gyre launch: --env \"",
                       text,
                       "\": NAME=VALUE was "
                       "expected",
                       kAdvice);
  }
  options.env.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  return OkStatus();
}

Status SetOption(const std::string& name,
                 const std::string& value,
                 LaunchOptions& options) {
  if (name == "-n" || name == "--ranks") {
    GYRE_ASSIGN_OR_RETURN(options.ranks,
                          Count("-n", value, "ranks", 1, kMaxRanks));
    return OkStatus();
  }
  if (name == "--processes") {
    GYRE_ASSIGN_OR_RETURN(options.processes,
                          Count(name, value, "processes", 1, kMaxLocalRanks));
    return OkStatus();
  }
  if (name == "--max-restarts") {
    GYRE_ASSIGN_OR_RETURN(options.max_restarts,
                          Count(name, value, "restarts", 0, 1'000'000));
    return OkStatus();
  }
  if (name == "--hosts" && !value.empty()) {
    options.hosts = value;
    return OkStatus();
  }
  if (name == "--rsh" && !value.empty()) {
    options.rsh = value;
    return OkStatus();
  }
  if (name == "--env") return AddVariable(value, options);
  if (name == "--grace") {
    GYRE_ASSIGN_OR_RETURN(options.grace_s, Seconds(name, value, true));
    return OkStatus();
  }
  if (name == "--deadline") {
    GYRE_ASSIGN_OR_RETURN(options.deadline_s, Seconds(name, value, false));
    return OkStatus();
  }
  if (name == "--collectives") {
    options.network.collectives = value;
    return CheckCollectives(value);
  }
  if (name == "--tls" && !value.empty()) {
    options.network.tls = value;
    return OkStatus();
  }
  if (name == "--log-dir" && !value.empty()) {
    options.log_dir = value;
    return OkStatus();
  }
  return ConfigError(
      "gyre launch: ", name, " \"", value, "\" is no option", kAdvice);
}

// What can only be seen when all options are known.
Status CheckTogether(LaunchOptions& options) {
  if (!options.hosts.empty()) {
    if (options.processes == 0) return OkStatus();
    return ConfigError(
        "gyre launch: --processes is for the ranks of this host, and with "
        "--hosts each rank is a process; leave out one of them",
        kAdvice);
  }
  if (options.ranks == 0) options.ranks = 1;
  if (options.ranks > kMaxLocalRanks) {
    return ConfigError("gyre launch: -n ",
                       options.ranks,
                       ": at most ",
                       kMaxLocalRanks,
                       " ranks on one host",
                       kAdvice);
  }
  if (options.processes > options.ranks) {
    return ConfigError("gyre launch: --processes ",
                       options.processes,
                       " with -n ",
                       options.ranks,
                       ": each process hosts at least one rank; give at most ",
                       options.ranks,
                       kAdvice);
  }
  if (options.network.collectives == "mpi" && options.processes > 0 &&
      options.processes < options.ranks) {
    return ConfigError(
        "gyre launch: --processes with --collectives mpi: a rank of MPI is a "
        "process; leave out --processes",
        kAdvice);
  }
  return OkStatus();
}

bool IsOption(const std::string& name) {
  for (const char* known : {"-n",
                            "--ranks",
                            "--processes",
                            "--env",
                            "--grace",
                            "--deadline",
                            "--log-dir",
                            "--collectives",
                            "--tls",
                            "--hosts",
                            "--rsh",
                            "--max-restarts"}) {
    if (name == known) return true;
  }
  return false;
}

}  // namespace

StatusOr<LaunchOptions> ParseLaunchOptions(std::span<const std::string> args) {
  LaunchOptions options;
  options.ranks = 0;
  std::size_t i = 0;
  for (; i < args.size() && args[i].size() > 1 && args[i][0] == '-'; ++i) {
    if (args[i] == "--") {
      ++i;
      break;
    }
    if (args[i] == "--help" || args[i] == "-h") {
      options.help = true;
      return options;
    }
    if (args[i] == "--part") {
      options.part = true;
      return options;
    }
    if (args[i] == "--insecure") {
      options.network.insecure = true;
      continue;
    }
    if (args[i] == "--bind") {
      options.bind = true;
      continue;
    }
    // "--grace=2" and "--grace 2" are the same.
    const std::size_t equals = args[i].find('=');
    const std::string name = args[i].substr(0, equals);
    if (!IsOption(name)) {
      return ConfigError("gyre launch: unknown option ",
                         args[i],
                         "; the "
                         "program's own options come after --",
                         kAdvice);
    }
    if (equals == std::string::npos && i + 1 == args.size()) {
      return ConfigError("gyre launch: ", name, " needs a value", kAdvice);
    }
    GYRE_RETURN_IF_ERROR(SetOption(
        name,
        equals == std::string::npos ? args[++i] : args[i].substr(equals + 1),
        options));
  }
  GYRE_RETURN_IF_ERROR(CheckTogether(options));
  options.command.assign(args.begin() + i, args.end());
  if (options.command.empty()) {
    return ConfigError(
        "gyre launch: which program? gyre launch -n 4 -- "
        "program arguments");
  }
  return options;
}

std::string_view LaunchHelp() {
  return R"(usage: gyre launch [options] -- program [arguments]

Starts the ranks of a program on this machine, or on several, and ends them
together.

  -n, --ranks N     how many ranks (default 1; with --hosts, all slots)
  --processes P     how many processes host them, each the same number of
                    ranks or one more, as threads (default N: each rank is a
                    process); the numbers of a run do not depend on it
  --hosts FILE      start them on these hosts; a line is
                    NAME [slots=RANKS] [address=WHERE_OTHERS_FIND_IT]
  --rsh COMMAND     what starts a command on a host (default ssh)
  --log-dir DIR     also write each rank's output to DIR/rank-R.log
  --deadline S      how long a rank waits for a late one (default 30)
  --grace S         when a rank has failed, the time between asking the
                    others to end and killing them (default 1)
  --env NAME=VALUE  set a variable for the ranks; may be repeated
  --max-restarts K  when ranks were lost, start all of them again, up to K
                    times (default 0)
  --bind            give each rank processors of its own
  --collectives W   how ranks talk: auto (what fits: shared memory here), shm,
                    grpc, mpi, two-level
  --tls T           for connections: off; auto (certificates made for this
                    run); or the files authority.pem,certificate.pem,key.pem
  --insecure        connections to other hosts may go without TLS
  -h, --help        this text

The program is taken as given when it has a slash or lies in this folder,
else from the folder of gyre, else from PATH. Lines of output start with the
rank, as in "[2] "; not those of rank 0's standard output when the program is
given --json. SIGINT, SIGTERM, SIGHUP and SIGUSR1 go on to the ranks; a
second SIGINT, SIGTERM or SIGHUP kills them. A training loop that gets
SIGTERM or SIGUSR1 writes a checkpoint and ends, on all ranks after the same
step. OMP_NUM_THREADS is 1 unless you set it; with --bind, the number of cores
of a rank.

A restart begins with the run's last good checkpoint: the program finds
GYRE_RESTART=1, 2, ... and looks for it. It follows a rank that was killed,
ranks that lost or contradicted each other, and exit codes that are not
Gyre's; not errors that would come again (usage, data, the guard's budget, a
checkpoint that cannot be written), nor a run that you stopped.

Ranks that share a process share its fate: a process that is killed is the
loss of all of them. Its lines start with them all, as in "[4-7] ", and its
log is DIR/ranks-4-7.log.

Exit code: 0 when all ranks ended with 0; else that of the rank that failed
first, which is named; 4 when it was killed by a signal; 128 + the signal
when you stopped the run.
)";
}

}  // namespace gyre::internal::inline apps

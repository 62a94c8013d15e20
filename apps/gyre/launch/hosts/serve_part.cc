#include "apps/gyre/launch/hosts/serve_part.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "apps/gyre/launch/attempt.h"
#include "apps/gyre/launch/hosts/part.h"
#include "apps/gyre/launch/launcher.h"
#include "apps/gyre/launch/orphans.h"
#include "apps/gyre/launch/program_lookup.h"
#include "gyre/collectives/launch_env.h"
#include "gyre/core/log.h"

namespace gyre::internal::inline apps {
namespace {

constexpr std::size_t kLongestLine = 1 << 20;

// No more than the line: what follows is for the attempt to read.
StatusOr<std::string> ReadLine() {
  std::string line;
  while (line.size() < kLongestLine) {
    char next;
    const ssize_t n = ::read(STDIN_FILENO, &next, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    if (next == '\n') return line;
    line += next;
  }
  return ConfigError(
      "gyre launch --part: no part on the standard input; this is what gyre "
      "launch --hosts starts on other hosts, not a command for people");
}

StatusOr<Part> ReadPart() {
  GYRE_ASSIGN_OR_RETURN(const std::string line, ReadLine());
  auto json = Json::Parse(line, "the part");
  auto part = json.ok() ? PartFromJson(*json) : json.status();
  if (!part.ok()) {
    return ConfigError("gyre launch --part: ",
                       Message(part.status()),
                       "; is gyre the same on all hosts?");
  }
  return part;
}

}  // namespace

StatusOr<int> ServePart() {
  GYRE_ASSIGN_OR_RETURN(Part part, ReadPart());
  LaunchOptions& options = part.options;
  if (::chdir(part.folder.c_str()) != 0) {
    return ConfigError("gyre launch: ",
                       part.host,
                       " has no folder ",
                       part.folder,
                       " to start in: ",
                       std::strerror(errno));
  }
  GYRE_ASSIGN_OR_RETURN(const FileHandle certificates,
                        ShareCertificates(part.certificates, options.network));
  GYRE_ASSIGN_OR_RETURN(
      const std::string program,
      FindProgram(options.command[0],
                  OwnFolder(),
                  ProcessEnv("PATH").value_or("/usr/bin:/bin")));
  GYRE_ASSIGN_OR_RETURN(Output output,
                        Output::Open(SpreadRanks(options.ranks,
                                                 options.processes,
                                                 part.meeting.first_rank),
                                     MarksFor(options, part.meeting.size),
                                     options.log_dir));
  GYRE_ASSIGN_OR_RETURN(const FileHandle signals, CatchSignals());
  const Watchdog watchdog;
  const Orphans orphans;
  ::fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
  Attempt attempt(
      options.grace_s, output, watchdog, signals.get(), STDIN_FILENO);
  const Status started =
      attempt.Start(CommandsFor(options, program, part.meeting));
  std::vector<RankEnd> ends;
  if (started.ok()) ends = attempt.Run();
  orphans.End();
  GYRE_RETURN_IF_ERROR(started);
  const Verdict verdict = Judge(ends, std::nullopt, attempt.stopped_by());
  for (const std::string& line : output.RepeatedErrorLines()) {
    LogLine(Cat("gyre launch: ", line));
  }
  if (!verdict.line.empty() && attempt.stopped_by() == 0) {
    LogLine(Cat("gyre launch on ", part.host, ": ", verdict.line));
  }
  return verdict.exit_code;
}

}  // namespace gyre::internal::inline apps

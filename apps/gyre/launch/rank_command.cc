#include "apps/gyre/launch/rank_command.h"

#include <utility>

#include "apps/gyre/launch/binding.h"
#include "apps/gyre/launch/rank_span.h"
#include "gyre/collectives/launch_env.h"

namespace gyre::internal::inline apps {
namespace {

// What --bind adds to the command of the host's ranks from `local` on.
void Bind(const LaunchOptions& options, int local, RankCommand& command) {
  const std::vector<Share> shares = Divide(AllowedProcessors(), options.ranks);
  if (shares.empty()) return;
  for (int r = local; r < local + command.ranks; ++r) {
    command.processors.insert(command.processors.end(),
                              shares[r].processors.begin(),
                              shares[r].processors.end());
  }
  command.env.emplace_back("OMP_NUM_THREADS", Cat(shares[local].cores));
}

void SetVariable(RankCommand& command,
                 const std::pair<std::string, std::string>& variable) {
  std::erase_if(command.env,
                [&](const auto& e) { return e.first == variable.first; });
  command.env.push_back(variable);
}

RankCommand CommandFor(const RankSpan& span,
                       const LaunchOptions& options,
                       const std::string& program,
                       const Meeting& meeting) {
  const int size = meeting.size > 0 ? meeting.size : options.ranks;
  const int local = span.first - meeting.first_rank;
  RankCommand command;
  command.rank = span.first;
  command.ranks = span.count;
  command.program = program;
  command.arguments = options.command;
  command.inherited_fd = meeting.shm_fd;
  // A single rank keeps the terminal, and with it its progress line.
  command.capture = size > 1 || !options.log_dir.empty();
  command.env = LaunchVariables({.rank = command.rank,
                                 .size = size,
                                 .shm_fd = meeting.shm_fd,
                                 .token = meeting.token,
                                 .local_rank = local,
                                 .local_size = options.ranks,
                                 .hosted = span.count,
                                 .coordinator = meeting.coordinator});
  for (const auto& variable : NetworkVariables(options.network)) {
    command.env.push_back(variable);
  }
  command.env.emplace_back("GYRE_RESTART", Cat(meeting.restart));
  command.env.emplace_back("OMP_NUM_THREADS", "1");
  if (options.bind) Bind(options, local, command);
  if (const auto own = ProcessEnv("OMP_NUM_THREADS")) {
    SetVariable(command, {"OMP_NUM_THREADS", *own});
  }
  if (options.deadline_s.has_value()) {
    command.env.emplace_back("GYRE_DEADLINE_S", Cat(*options.deadline_s));
  }
  for (const auto& own : options.env) SetVariable(command, own);
  return command;
}

}  // namespace

std::vector<RankCommand> CommandsFor(const LaunchOptions& options,
                                     const std::string& program,
                                     const Meeting& meeting) {
  std::vector<RankCommand> commands;
  for (const RankSpan& span :
       SpreadRanks(options.ranks, options.processes, meeting.first_rank)) {
    commands.push_back(CommandFor(span, options, program, meeting));
  }
  return commands;
}

}  // namespace gyre::internal::inline apps

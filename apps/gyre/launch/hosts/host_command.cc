#include "apps/gyre/launch/hosts/host_command.h"

#include <filesystem>
#include <sstream>
#include <string>

#include "apps/gyre/launch/program_lookup.h"
#include "gyre/collectives/launch_env.h"

namespace gyre::internal::inline apps {
namespace {

// What a pipe takes before anybody reads.
constexpr std::size_t kLongestPart = 60'000;

}  // namespace

StatusOr<RankCommand> CommandForHost(const LaunchOptions& options,
                                     int index,
                                     const HostShare& share,
                                     const Meeting& meeting,
                                     const std::string& certificates) {
  RankCommand command;
  command.rank = index;
  std::istringstream words(options.rsh);
  for (std::string word; words >> word;) command.arguments.push_back(word);
  GYRE_ASSIGN_OR_RETURN(
      command.program,
      FindProgram(command.arguments.empty() ? "" : command.arguments[0],
                  "",
                  ProcessEnv("PATH").value_or("/usr/bin:/bin")));
  const std::string here = OwnFolder();
  command.arguments.push_back(share.host.name);
  command.arguments.push_back(here.empty() ? "gyre" : here + "/gyre");
  command.arguments.insert(command.arguments.end(), {"launch", "--part"});

  Part part{options, meeting, share.host.name, "", certificates};
  part.options.ranks = share.ranks;
  part.meeting.first_rank = share.first_rank;
  std::error_code error;
  part.folder = std::filesystem::current_path(error).string();
  command.controlled = true;
  command.first_line = ToJson(part).Dump() + "\n";
  if (command.first_line.size() > kLongestPart) {
    return ConfigError("gyre launch: the program's arguments and --env are ",
                       command.first_line.size(),
                       " bytes; at most ",
                       kLongestPart,
                       " can go to other hosts");
  }
  return command;
}

}  // namespace gyre::internal::inline apps

// One host's part of a launch over several hosts, as the launcher tells it to
// the launcher there: one line of JSON on its standard input, so that no shell
// on the way has to quote anything and no token stands in a command line.

#ifndef GYRE_APPS_GYRE_LAUNCH_HOSTS_PART_H_
#define GYRE_APPS_GYRE_LAUNCH_HOSTS_PART_H_

#include <string>

#include "apps/gyre/launch/launch_options.h"
#include "apps/gyre/launch/rank_command.h"
#include "gyre/core/io/json.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

struct Part {
  LaunchOptions options;  // ranks: those of the host
  Meeting meeting;
  std::string host;          // its name, for messages
  std::string folder;        // where the program runs
  std::string certificates;  // of --tls auto, else empty
};

Json ToJson(const Part& part);
StatusOr<Part> PartFromJson(const Json& json);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_HOSTS_PART_H_

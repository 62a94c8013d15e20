// `gyre report`: a run as one HTML file.

#ifndef GYRE_APPS_GYRE_REPORT_REPORT_COMMAND_H_
#define GYRE_APPS_GYRE_REPORT_REPORT_COMMAND_H_

#include <span>
#include <string>

namespace gyre::internal::inline apps {

// `args`: what follows "report".
int RunReport(std::span<const std::string> args);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_REPORT_REPORT_COMMAND_H_

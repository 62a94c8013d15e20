#include "apps/gyre/launch/orphans.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace gyre::internal::inline apps {
namespace {

// Each round ends one generation; a process that forks faster than that is
// left to the system.
constexpr int kRounds = 100;

std::vector<pid_t> Children() {
  const std::string me = std::to_string(::getpid());
  std::ifstream file("/proc/" + me + "/task/" + me + "/children");
  std::vector<pid_t> children;
  for (pid_t child; file >> child;) children.push_back(child);
  return children;
}

}  // namespace

Orphans::Orphans() : former_(Children()) { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void Orphans::End() const {
  for (int round = 0; round < kRounds; ++round) {
    std::vector<pid_t> children = Children();
    std::erase_if(children, [&](pid_t child) {
      return std::count(former_.begin(), former_.end(), child) > 0;
    });
    if (children.empty()) return;
    for (const pid_t child : children) ::kill(child, SIGKILL);
    for (const pid_t child : children) {
      while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
  }
}

}  // namespace gyre::internal::inline apps

#include "gyre/collectives/roster/host_identity.h"

#include <unistd.h>

#include <fstream>

#include "gyre/core/hash.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {
namespace {

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string LinkTarget(const std::string& path) {
  char target[256];
  const ssize_t n = ::readlink(path.c_str(), target, sizeof target);
  return n > 0 ? std::string(target, static_cast<std::size_t>(n)) : "?";
}

}  // namespace

HostIdentity ReadHostIdentity() {
  std::string key = FirstLine("/proc/sys/kernel/random/boot_id");
  // pid: /proc/<pid> of a peer; ipc and net: what else separates containers;
  // user, and the user: who may open what a peer has open.
  for (const char* space : {"pid", "ipc", "net", "user"}) {
    key += Cat(" ", LinkTarget(Cat("/proc/self/ns/", space)));
  }
  key += Cat(" ", ::geteuid());
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return {HexHash(Hash64(key)), name};
}

}  // namespace gyre::internal::inline collectives

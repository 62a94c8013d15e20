#include "collectives/roster/host_identity.h"

#include <unistd.h>

#include <fstream>
#include <vector>

#include "core/hash.h"
#include "core/status.h"

namespace gyre {
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

std::string HashOfFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 20);
  std::uint64_t hash = 0;
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) ||
         file.gcount() > 0) {
    hash = Hash64(block.data(), static_cast<std::size_t>(file.gcount()), hash);
  }
  return HexHash(hash);
}

}  // namespace

HostIdentity ReadHostIdentity() {
  std::string key = FirstLine("/proc/sys/kernel/random/boot_id");
  // pid: /proc/<pid> of a peer; ipc and net: what else separates containers.
  for (const char* space : {"pid", "ipc", "net"}) {
    key += Cat(" ", LinkTarget(Cat("/proc/self/ns/", space)));
  }
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return {HexHash(Hash64(key)), name};
}

ProgramIdentity ReadProgramIdentity() {
  ProgramIdentity program;
  program.build = HashOfFile("/proc/self/exe");
#if defined(__AVX512F__)
  program.isa = "built for AVX-512";
#elif defined(__AVX2__)
  program.isa = "built for AVX2";
#else
  program.isa = "built for the base set";
#endif
#if defined(__x86_64__)
  program.isa += ", processor has";
  if (__builtin_cpu_supports("avx2")) program.isa += " avx2";
  if (__builtin_cpu_supports("fma")) program.isa += " fma";
  if (__builtin_cpu_supports("avx512f")) program.isa += " avx512f";
#endif
  return program;
}

}  // namespace gyre

#include "gyre/core/program.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>
#include <sstream>

#include "gyre/core/hash.h"

namespace gyre::internal::inline core {
namespace {

// The whole of a file whose size the system does not know.
StatusOr<std::string> ReadProcFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file.good()) {
    return InternalError("cannot read ", path, ": is /proc mounted?");
  }
  return text.str();
}

StatusOr<std::string> OwnPath() {
  char path[PATH_MAX];
  const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
  if (n <= 0 || n == static_cast<ssize_t>(sizeof path)) {
    return InternalError("cannot find this program's own path: ",
                         std::strerror(errno),
                         "; is /proc mounted?");
  }
  return std::string(path, static_cast<std::size_t>(n));
}

StatusOr<std::string> OwnDirectory() {
  char path[PATH_MAX];
  if (::getcwd(path, sizeof path) == nullptr) {
    return InternalError("no working directory: ", std::strerror(errno));
  }
  return std::string(path);
}

}  // namespace

StatusOr<std::string> HashOfFile(const std::string& path, ErrorKind kind) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) {
    return MakeError(kind,
                     absl::StatusCode::kNotFound,
                     Cat("cannot read ", path, ": ", std::strerror(errno)));
  }
  std::vector<char> block(std::size_t{1} << 20);
  std::uint64_t hash = 0;
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) ||
         file.gcount() > 0) {
    hash = Hash64(block.data(), static_cast<std::size_t>(file.gcount()), hash);
  }
  return HexHash(hash);
}

ProgramIdentity ReadProgramIdentity() {
  ProgramIdentity program;
  program.build = HashOfFile("/proc/self/exe").value_or("unknown");
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

StatusOr<ProgramStart> ReadProgramStart() {
  ProgramStart start;
  GYRE_ASSIGN_OR_RETURN(start.program, OwnPath());
  GYRE_ASSIGN_OR_RETURN(start.directory, OwnDirectory());
  GYRE_ASSIGN_OR_RETURN(const std::string line,
                        ReadProcFile("/proc/self/cmdline"));
  // Each argument ends with a zero.
  std::size_t begin = line.find('\0');
  while (begin != std::string::npos && begin + 1 < line.size()) {
    const std::size_t end = std::min(line.find('\0', ++begin), line.size());
    start.arguments.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return start;
}

}  // namespace gyre::internal::inline core

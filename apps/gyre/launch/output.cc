#include "apps/gyre/launch/output.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

namespace gyre::internal::inline apps {
namespace {

// Output that nobody takes is dropped; the run goes on.
void WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

StatusOr<FileHandle> OpenLog(const std::string& folder, const RankSpan& ranks) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::string path = Cat(folder,
                               ranks.count == 1 ? "/rank-" : "/ranks-",
                               ShortName(ranks),
                               ".log");
  const int fd =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) {
    return ConfigError("gyre launch: --log-dir ",
                       folder,
                       ": cannot write ",
                       path,
                       ": ",
                       std::strerror(errno));
  }
  return FileHandle(fd);
}

}  // namespace

StatusOr<Output> Output::Open(std::span<const RankSpan> processes,
                              Marks marks,
                              const std::string& log_dir) {
  Output output;
  for (const RankSpan& ranks : processes) {
    const std::string mark =
        marks == Marks::kNone ? "" : Cat("[", ShortName(ranks), "] ");
    const bool plain = ranks.first == 0 && marks == Marks::kNotRank0;
    FileHandle log;
    if (!log_dir.empty()) {
      GYRE_ASSIGN_OR_RETURN(log, OpenLog(log_dir, ranks));
    }
    output.processes_.push_back({ranks,
                                 LineSplitter(plain ? "" : mark),
                                 LineSplitter(mark),
                                 std::move(log),
                                 mark.size()});
  }
  return output;
}

bool Output::Drain(int index, Stream stream, int fd) {
  ProcessOutput& to = processes_[index];
  LineSplitter& lines = stream == Stream::kOut ? to.out : to.err;
  char buffer[16384];
  while (true) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return true;
    if (n <= 0) {
      Write(index, stream, lines.Finish());
      return false;
    }
    Write(index, stream, lines.Feed({buffer, static_cast<std::size_t>(n)}));
  }
}

void Output::Write(int index, Stream stream, const std::string& text) {
  if (stream == Stream::kOut) {
    WriteAll(STDOUT_FILENO, text);
  } else {
    WriteAll(STDERR_FILENO, WithoutRepeats(index, text));
  }
  const FileHandle& log = processes_[index].log;
  if (log.get() >= 0) WriteAll(log.get(), text);
}

std::string Output::WithoutRepeats(int index, const std::string& text) {
  std::string shown;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    const std::size_t mark = std::min(processes_[index].mark, line.size());
    const std::size_t size = end == std::string_view::npos ? end : end + 1;
    if (!repeated_.IsRepeat(processes_[index].ranks, line.substr(mark))) {
      shown += rest.substr(0, size);
    }
    rest.remove_prefix(std::min(size, rest.size()));
  }
  return shown;
}

}  // namespace gyre::internal::inline apps

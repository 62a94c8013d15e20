#include "gyre/monitor/sinks/tensorboard.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "gyre/core/clock.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/file_error.h"
#include "gyre/monitor/sinks/crc32c.h"

namespace gyre::internal::inline monitor {
namespace {

constexpr std::int64_t kFlushNanos = 1'000'000'000;
constexpr std::size_t kFlushBytes = 64 * 1024;

// What protocol buffers call a wire type.
enum WireType : int { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// The machines that we build for are little-endian, as the format is.
template <class T>
void AppendRaw(T value, std::string& out) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

void AppendVarint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) {
    out += static_cast<char>(0x80 | (value & 0x7F));
  }
  out += static_cast<char>(value);
}

void AppendKey(int field, WireType type, std::string& out) {
  AppendVarint(static_cast<std::uint64_t>(field) << 3 | type, out);
}

void AppendBytes(int field, std::string_view bytes, std::string& out) {
  AppendKey(field, kBytes, out);
  AppendVarint(bytes.size(), out);
  out += bytes;
}

// Event: 1 wall_time, 2 step, 3 file_version, 5 summary, 7 session_log.
std::string EventHead(std::int64_t step) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  std::string event;
  AppendKey(1, kFixed64, event);
  AppendRaw(static_cast<double>(now.tv_sec) + now.tv_nsec * 1e-9, event);
  if (step != 0) {
    AppendKey(2, kVarint, event);
    AppendVarint(static_cast<std::uint64_t>(step), event);
  }
  return event;
}

// SessionLog: 1 status, of which 1 is START: readers drop what they have of
// this step and later ones.
std::string SessionStart(std::int64_t first_step) {
  std::string log;
  AppendKey(1, kVarint, log);
  AppendVarint(1, log);
  std::string event = EventHead(first_step);
  AppendBytes(7, log, event);
  return event;
}

// Summary: 1 value, repeated. Value: 1 tag, 2 simple_value.
std::string Summary(const std::vector<TensorboardWriter::Scalar>& scalars) {
  std::string summary;
  for (const auto& [tag, number] : scalars) {
    std::string value;
    AppendBytes(1, tag, value);
    AppendKey(2, kFixed32, value);
    AppendRaw(static_cast<float>(number), value);
    AppendBytes(1, value, summary);
  }
  return summary;
}

void AppendRecord(std::string_view data, std::string& out) {
  std::string length;
  AppendRaw(static_cast<std::uint64_t>(data.size()), length);
  out += length;
  AppendRaw(MaskedCrc32c(length), out);
  out += data;
  AppendRaw(MaskedCrc32c(data), out);
}

// TensorBoard takes any name with "tfevents" in it, in the order of names.
std::string FileName() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return Cat("events.out.tfevents.", now.tv_sec, ".gyre.", ::getpid());
}

}  // namespace

TensorboardWriter::TensorboardWriter(internal::FileDescriptor file,
                                     std::string path)
    : file_(std::move(file)),
      path_(std::move(path)),
      last_flush_ns_(NowNanos()) {}

StatusOr<TensorboardWriter> TensorboardWriter::Open(const std::string& folder,
                                                    std::int64_t first_step) {
  GYRE_RETURN_IF_ERROR(CreateDirectories(folder));
  const std::string stem = folder + "/" + FileName();
  // A second one in the same second gets a name of its own.
  for (int i = 0; i < 1000; ++i) {
    const std::string path = Cat(stem, ".", i);
    internal::FileDescriptor file(
        ::open(path.c_str(),
               O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
               0666));
    if (!file.valid() && errno == EEXIST) continue;
    if (!file.valid()) {
      return internal::SystemError(ErrorKind::kConfig, "create", path, errno);
    }
    TensorboardWriter writer(std::move(file), path);
    std::string version = EventHead(0);
    AppendBytes(3, "brain.Event:2", version);
    AppendRecord(version, writer.waiting_);
    if (first_step > 0) AppendRecord(SessionStart(first_step), writer.waiting_);
    GYRE_RETURN_IF_ERROR(writer.Flush());
    return writer;
  }
  return ConfigError(folder, ": no free name for an event file");
}

StatusOr<TensorboardWriter> TensorboardWriter::Append(const std::string& path) {
  internal::FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file.valid()) {
    return internal::SystemError(ErrorKind::kConfig, "open", path, errno);
  }
  return TensorboardWriter(std::move(file), path);
}

TensorboardWriter::~TensorboardWriter() {
  if (file_.valid()) Flush().IgnoreError();
}

Status TensorboardWriter::Write(std::int64_t step,
                                const std::vector<Scalar>& scalars,
                                bool now) {
  std::string event = EventHead(step);
  AppendBytes(5, Summary(scalars), event);
  AppendRecord(event, waiting_);
  const bool due = now || NowNanos() - last_flush_ns_ >= kFlushNanos ||
                   waiting_.size() >= kFlushBytes;
  return due ? Flush() : OkStatus();
}

Status TensorboardWriter::Flush() {
  last_flush_ns_ = NowNanos();
  if (waiting_.empty()) return OkStatus();
  // Emptied even if the disk is full: better to lose records than to grow.
  const std::string bytes = std::exchange(waiting_, {});
  const int error = internal::WriteAll(file_.get(), bytes);
  if (error == 0) return OkStatus();
  return internal::SystemError(ErrorKind::kConfig, "append to", path_, error);
}

Status TensorboardWriter::Close() {
  GYRE_RETURN_IF_ERROR(Flush());
  const int error = file_.Close();
  if (error == 0) return OkStatus();
  return internal::SystemError(ErrorKind::kConfig, "close", path_, error);
}

}  // namespace gyre::internal::inline monitor

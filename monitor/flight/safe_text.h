// Text that a signal handler may write: no memory is asked for, no lock is
// taken, nothing of stdio is used.
//
//   SafeText out(fd);
//   out.Text("{\"step\":").Integer(7).Text(",\"loss\":").Number(0.25);
//   out.Text("}\n");
//   out.Flush();
//
// Errors are passed over: there is nobody left to tell.

#ifndef GYRE_MONITOR_FLIGHT_SAFE_TEXT_H_
#define GYRE_MONITOR_FLIGHT_SAFE_TEXT_H_

#include <cstddef>
#include <cstdint>

namespace gyre::internal::inline monitor {

class SafeText {
 public:
  explicit SafeText(int fd) : fd_(fd) {}
  SafeText(const SafeText&) = delete;
  SafeText& operator=(const SafeText&) = delete;

  SafeText& Text(const char* text);
  SafeText& Integer(std::int64_t value);
  // Nine digits, as "1.25000000e-03"; what is not finite as JSON's "NaN".
  SafeText& Number(double value);
  // In double quotes; bytes that JSON would have to escape become '?'.
  SafeText& Quoted(const char* text);
  void Flush();

 private:
  void Put(char c);

  int fd_;
  std::size_t size_ = 0;
  char buffer_[1024];
};

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_FLIGHT_SAFE_TEXT_H_

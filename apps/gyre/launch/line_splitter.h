// Cuts a stream of bytes into lines and marks each with its rank.
//
//   LineSplitter lines("[2] ");
//   Print(lines.Feed("first\nsec"));   // "[2] first\n"
//   Print(lines.Finish());             // "[2] sec\n"

#ifndef GYRE_APPS_GYRE_LAUNCH_LINE_SPLITTER_H_
#define GYRE_APPS_GYRE_LAUNCH_LINE_SPLITTER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace gyre::internal::inline apps {

class LineSplitter {
 public:
  // A line that is longer is given out in pieces.
  static constexpr std::size_t kMaxLine = std::size_t{64} << 10;

  explicit LineSplitter(std::string prefix) : prefix_(std::move(prefix)) {}

  // All lines that are complete now.
  std::string Feed(std::string_view bytes);
  // What is left, as a line.
  std::string Finish();

 private:
  std::string prefix_;
  std::string rest_;
};

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_LINE_SPLITTER_H_

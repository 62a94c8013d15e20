#include "apps/gyre/launch/line_splitter.h"

namespace gyre::internal::inline apps {

std::string LineSplitter::Feed(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    rest_ += bytes.substr(0, end);
    if (end == std::string_view::npos) {
      if (rest_.size() >= kMaxLine) out += Finish();
      break;
    }
    out += prefix_ + rest_ + '\n';
    rest_.clear();
    bytes.remove_prefix(end + 1);
  }
  return out;
}

std::string LineSplitter::Finish() {
  if (rest_.empty()) return "";
  std::string line = prefix_ + rest_ + '\n';
  rest_.clear();
  return line;
}

}  // namespace gyre::internal::inline apps

#include "gyre/monitor/flight/safe_text.h"

#include <unistd.h>

#include <cerrno>

#include "gyre/core/finite.h"

namespace gyre::internal::inline monitor {

void SafeText::Flush() {
  std::size_t done = 0;
  while (done < size_) {
    const ssize_t n = ::write(fd_, buffer_ + done, size_ - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  size_ = 0;
}

void SafeText::Put(char c) {
  if (size_ == sizeof buffer_) Flush();
  buffer_[size_++] = c;
}

SafeText& SafeText::Text(const char* text) {
  while (*text != '\0') Put(*text++);
  return *this;
}

SafeText& SafeText::Quoted(const char* text) {
  Put('"');
  for (; *text != '\0'; ++text) {
    const auto c = static_cast<unsigned char>(*text);
    const bool plain = c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
    Put(plain ? *text : '?');
  }
  Put('"');
  return *this;
}

SafeText& SafeText::Integer(std::int64_t value) {
  char digits[24];
  int count = 0;
  auto rest = static_cast<std::uint64_t>(value);
  if (value < 0) {
    Put('-');
    rest = 0 - rest;
  }
  do {
    digits[count++] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  while (count > 0) Put(digits[--count]);
  return *this;
}

SafeText& SafeText::Number(double value) {
  if (!IsFinite(value)) {
    if (value != value) return Text("\"NaN\"");
    return Text(value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
  }
  if (value < 0) {
    Put('-');
    value = -value;
  }
  int exponent = 0;
  // At most 324 rounds each; the error of the products stays below the nine
  // digits that are shown.
  for (; value >= 10; ++exponent) value /= 10;
  for (; value > 0 && value < 1; --exponent) value *= 10;
  auto digits = static_cast<std::int64_t>(value * 1e8 + 0.5);
  if (digits >= 1'000'000'000) {
    digits /= 10;
    ++exponent;
  }
  Integer(digits / 100'000'000);
  Put('.');
  for (std::int64_t unit = 10'000'000; unit > 0; unit /= 10) {
    Put(static_cast<char>('0' + digits / unit % 10));
  }
  Put('e');
  return Integer(exponent);
}

}  // namespace gyre::internal::inline monitor

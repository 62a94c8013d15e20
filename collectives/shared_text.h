// A short text in shared memory that one rank writes and others may read at
// any moment: what the rank was doing, for messages.
//
// WARNING 1: a read during a write gives a mixture of both texts. That is
// good enough for a message and never undefined.

#ifndef GYRE_COLLECTIVES_SHARED_TEXT_H_
#define GYRE_COLLECTIVES_SHARED_TEXT_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace gyre::internal::inline collectives {

// Longer texts are cut to kBytes - 1 bytes.
template <std::size_t kBytes>
class SharedText {
 public:
  void Store(std::string_view text) {
    std::size_t left = std::min(text.size(), kBytes - 1);
    const char* from = text.data();
    for (auto& word : words_) {
      std::uint64_t bits = 0;
      const std::size_t n = std::min(left, sizeof bits);
      if (n > 0) std::memcpy(&bits, from, n);
      word.store(bits, std::memory_order_relaxed);
      if (n < sizeof bits) return;  // this word holds the closing zero
      from += n;
      left -= n;
    }
  }

  std::string Load() const {
    std::string text(kBytes, '\0');
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t bits = words_[i].load(std::memory_order_relaxed);
      std::memcpy(text.data() + i * sizeof bits, &bits, sizeof bits);
    }
    text.resize(std::min(text.find('\0'), kBytes));
    return text;
  }

 private:
  static_assert(kBytes % sizeof(std::uint64_t) == 0);
  std::array<std::atomic<std::uint64_t>, kBytes / sizeof(std::uint64_t)> words_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_SHARED_TEXT_H_

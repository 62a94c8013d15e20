#include "gyre/core/finite.h"

namespace gyre::internal::inline core {
namespace {

// The loop is plain integer work, which the compiler turns into vectors.
template <class T>
std::int64_t Count(const T* x, std::size_t n) {
  std::int64_t bad = 0;
  for (std::size_t i = 0; i < n; ++i) bad += IsFinite(x[i]) ? 0 : 1;
  return bad;
}

}  // namespace

std::int64_t CountNonFinite(const float* x, std::size_t n) {
  return Count(x, n);
}
std::int64_t CountNonFinite(const double* x, std::size_t n) {
  return Count(x, n);
}

}  // namespace gyre::internal::inline core

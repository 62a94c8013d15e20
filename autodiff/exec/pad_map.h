// Where each element of a padded axis comes from.

#ifndef GYRE_AUTODIFF_EXEC_PAD_MAP_H_
#define GYRE_AUTODIFF_EXEC_PAD_MAP_H_

#include <cstdint>
#include <ostream>
#include <string_view>
#include <vector>

#include "gyre/core/status.h"

namespace gyre {

enum class PadMode : std::uint8_t {
  kZero,
  kCircular,   // the axis is a ring: longitude
  kReflect,    // mirrored at the edge, which is not repeated: c b [a b c] b a
  kReplicate,  // the edge, again and again
};

std::string_view Name(PadMode mode);
inline std::ostream& operator<<(std::ostream& out, PadMode mode) {
  return out << Name(mode);
}

// Padding of one axis.
struct AxisPadding {
  std::int64_t before = 0;
  std::int64_t after = 0;
  PadMode mode = PadMode::kZero;

  bool none() const { return before == 0 && after == 0; }
  friend std::ostream& operator<<(std::ostream& out, const AxisPadding& p) {
    return out << p.before << "+" << p.after << " " << p.mode;
  }
};

}  // namespace gyre

namespace gyre::internal::inline autodiff {

// Errors: negative padding; more than a mode can fill from `extent` elements
// (circular: extent, reflect: extent - 1, replicate: needs one element).
Status CheckPadding(const AxisPadding& padding, std::int64_t extent);

// For each element of the padded axis its source, or -1 for a zero.
std::vector<std::int64_t> PadMap(const AxisPadding& padding,
                                 std::int64_t extent);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_PAD_MAP_H_

#include "gyre/autodiff/exec/pad_map.h"

#include <algorithm>

namespace gyre::internal::inline autodiff {
namespace {

std::int64_t Source(PadMode mode, std::int64_t i, std::int64_t extent) {
  if (i >= 0 && i < extent) return i;
  switch (mode) {
    case PadMode::kZero:
      return -1;
    case PadMode::kCircular:
      return i < 0 ? i + extent : i - extent;
    case PadMode::kReflect:
      return i < 0 ? -i : 2 * (extent - 1) - i;
    case PadMode::kReplicate:
      break;
  }
  return i < 0 ? 0 : extent - 1;
}

}  // namespace

}  // namespace gyre::internal::inline autodiff

namespace gyre {

using namespace internal;

std::string_view Name(PadMode mode) {
  switch (mode) {
    case PadMode::kZero:
      return "zero";
    case PadMode::kCircular:
      return "circular";
    case PadMode::kReflect:
      return "reflect";
    case PadMode::kReplicate:
      break;
  }
  return "replicate";
}

}  // namespace gyre

namespace gyre::internal::inline autodiff {

Status CheckPadding(const AxisPadding& padding, std::int64_t extent) {
  const std::int64_t most = std::max(padding.before, padding.after);
  if (padding.before < 0 || padding.after < 0) {
    return ConfigError("expected padding of 0 or more, got ", padding);
  }
  const bool fits = padding.mode == PadMode::kZero || most == 0 ||
                    (padding.mode == PadMode::kCircular && most <= extent) ||
                    (padding.mode == PadMode::kReflect && most < extent) ||
                    (padding.mode == PadMode::kReplicate && extent > 0);
  if (fits) return OkStatus();
  return ConfigError("an axis of ",
                     extent,
                     " cannot be padded by ",
                     padding,
                     ": circular takes at most the extent, reflect one less");
}

std::vector<std::int64_t> PadMap(const AxisPadding& padding,
                                 std::int64_t extent) {
  std::vector<std::int64_t> map(padding.before + extent + padding.after);
  for (std::size_t i = 0; i < map.size(); ++i) {
    map[i] = Source(
        padding.mode, static_cast<std::int64_t>(i) - padding.before, extent);
  }
  return map;
}

}  // namespace gyre::internal::inline autodiff

// How a resized field takes its numbers from the old one.

#ifndef GYRE_AUTODIFF_EXEC_RESIZE_SHAPE_H_
#define GYRE_AUTODIFF_EXEC_RESIZE_SHAPE_H_

#include <cstdint>
#include <string_view>

namespace gyre {

enum class ResizeMode : std::uint8_t { kNearest, kBilinear };

std::string_view Name(ResizeMode mode);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_EXEC_RESIZE_SHAPE_H_

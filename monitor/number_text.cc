#include "gyre/monitor/number_text.h"

#include <cmath>
#include <cstdio>

namespace gyre::internal::inline monitor {

std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

}  // namespace gyre::internal::inline monitor

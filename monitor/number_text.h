// A number for people: four digits, "NaN" without a sign.

#ifndef GYRE_MONITOR_NUMBER_TEXT_H_
#define GYRE_MONITOR_NUMBER_TEXT_H_

#include <string>

namespace gyre::internal::inline monitor {

// "0.1234", "1.234e+06", "NaN", "-Infinity"
std::string NumberText(double value);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_NUMBER_TEXT_H_

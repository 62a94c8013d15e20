// Numbers as other programs write them.
//
//   ParseLenientNumber("-nan")      // NaN
//   ParseLenientNumber("1.#INF")    // +infinity, as old Windows prints it
//   ParseLenientNumber("1e999")     // +infinity: beyond f64
//   ParseLenientNumber("")          // nothing: there is no number here
//
// Spellings of "not a number": nan, NaN, NAN, -nan, nan(ind), 1.#QNAN, 1.#IND;
// of infinity: inf, Infinity, 1.#INF, each with a sign. "", "null", "None",
// "NA", "N/A", "-" and "--" say that there is no number.

#ifndef GYRE_MONITOR_SPIKES_LENIENT_NUMBER_H_
#define GYRE_MONITOR_SPIKES_LENIENT_NUMBER_H_

#include <optional>
#include <string>
#include <string_view>

#include "gyre/core/status.h"

namespace gyre::internal::inline monitor {

// An error for text that is neither a number nor one of the above.
StatusOr<std::optional<double>> ParseLenientNumber(std::string_view text);

// A line of JSON in which the bare words NaN, Infinity and the like, and
// numbers beyond f64, which JSON does not have, are strings.
std::string QuoteBareNumbers(std::string_view line);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SPIKES_LENIENT_NUMBER_H_

// A comparison (monitor/inspect/inspect.h) for people, as tables.

#ifndef GYRE_MONITOR_INSPECT_DIFFERENCE_TABLE_H_
#define GYRE_MONITOR_INSPECT_DIFFERENCE_TABLE_H_

#include <string>

#include "gyre/core/io/json.h"

namespace gyre::internal::inline monitor {

// `comparison`: {"run": as CompareJson, "checkpoint": as CompareCheckpoints},
// each if it is there. Whether they are the same, fields that differ, and
// tensors that differ:
//
//   tensor          differ      first  largest   relative  norm      not finite
//   params/head.w   3 of 192    17     2.1e-05   1.4e-04   1.4e-06   0 | 1
//
// The largest difference of one element, absolute and over the larger of both;
// the norm of all differences over that of a; non-finite elements of a and b.
std::string DifferenceTable(const Json& comparison);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_INSPECT_DIFFERENCE_TABLE_H_

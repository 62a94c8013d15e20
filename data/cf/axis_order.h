// The one order of latitudes, longitudes and times. Internal to ReadAxis.

#ifndef GYRE_DATA_CF_AXIS_ORDER_H_
#define GYRE_DATA_CF_AXIS_ORDER_H_

#include "gyre/core/status.h"
#include "gyre/data/cf/axis.h"

namespace gyre::internal::inline data {

// Each sets `values` (or `seconds`), `order` and `note` of an axis whose
// values are as the file has them. Errors lack the name of the file.
Status OrderLatitudes(CfAxis* axis);
Status OrderLongitudes(CfAxis* axis);
Status OrderTimes(CfAxis* axis);

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_CF_AXIS_ORDER_H_

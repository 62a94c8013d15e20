// Where a number lies: its variable, its cell and the time it is valid for.
//
//   ElementName(fields, 33, "", {1, 33, 36}, 794);
//   // "p at 52.5N 20W, valid 1996-01-13T12Z"

#ifndef GYRE_APPS_WEATHER_LOSS_ELEMENT_NAME_H_
#define GYRE_APPS_WEATHER_LOSS_ELEMENT_NAME_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "apps/weather_loss/fields.h"
#include "gyre/core/shape.h"

namespace gyre::weather {

// Of sample `sample`, in an array (channels, lat, lon): six channels are the
// fields, and one is pressure, which alone has arrays of its own; others are
// inner ones, without a name. `tensor` is the batch's name of the array, or
// empty: what model and loss make is of the time they forecast. Empty for an
// array that is not on the grid.
std::string ElementName(const Fields& fields,
                        std::int64_t sample,
                        std::string_view tensor,
                        const Shape& shape,
                        std::int64_t element);

// "52.5N 20W", of degrees north and east.
std::string PlaceName(double lat, double lon);

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_ELEMENT_NAME_H_

// Units of measurement, as udunits2 knows them.
//
//   GYRE_ASSIGN_OR_RETURN(const UnitConversion c, ConvertUnits("knots",
//   "m/s")); const double wind = c(10);   // 5.14
//
// Errors say which unit is not known, or that the two measure different
// things, and what to write for spellings that udunits takes for another unit
// ("mb" is its millibarn, "C" its coulomb).

#ifndef GYRE_DATA_TIME_UNITS_H_
#define GYRE_DATA_TIME_UNITS_H_

#include <string>

#include "gyre/core/status.h"

namespace gyre::internal::inline data {

struct UnitConversion {
  double factor = 1;
  double offset = 0;

  double operator()(double x) const { return x * factor + offset; }
  bool identity() const { return factor == 1 && offset == 0; }
};

// Blanks around the texts are ignored. Logarithmic units (dBZ) are refused.
StatusOr<UnitConversion> ConvertUnits(const std::string& from,
                                      const std::string& to);

// Does udunits know it?
bool IsUnit(const std::string& text);

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_TIME_UNITS_H_

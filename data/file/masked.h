// The numbers of a variable as they are meant, with what is missing as a mask.
//
//   GYRE_ASSIGN_OR_RETURN(const MaskedBlock b,
//                         ReadMasked(*file, *info, BlockOf(*info)));
//
// By the CF conventions and the NetCDF users' guide:
//   - a stored value equal to _FillValue or missing_value is missing, compared
//     in the stored type, before scale_factor and add_offset;
//   - so is one outside of valid_min, valid_max or valid_range, which are in
//     stored numbers, or, if of the wider type of scale_factor, in unpacked;
//   - so is NaN, always; where no attribute says so, it is counted;
//   - with neither _FillValue nor missing_value, so is the default fill value
//     of the type, unless the file was written without filling;
//   - _Unsigned makes a signed type unsigned, and its attributes with it.
//
// Errors: a text where a number belongs, an attribute whose name is nearly one
// of these, ranges that contradict each other, a value that is infinite.

#ifndef GYRE_DATA_FILE_MASKED_H_
#define GYRE_DATA_FILE_MASKED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/core/tensor.h"
#include "gyre/data/file/science_file.h"
#include "gyre/data/time/units.h"

namespace gyre::internal::inline data {

// A part of a variable: where it begins, and its extents.
struct Block {
  std::vector<std::size_t> start;
  std::vector<std::size_t> count;

  Shape shape() const;
};
Block BlockOf(const VariableInfo& info);  // all of it

struct MaskedBlock {
  Tensor values;  // of the block, f32 or f64; 0 where missing
  Tensor mask;    // u8; 1 valid, 0 missing
  std::int64_t missing = 0;
  std::int64_t outside_range = 0;   // of the missing
  std::int64_t undeclared_nan = 0;  // of the missing
  std::int64_t first_nan = -1;      // its position in the block
};

// `conversion` is applied to the unpacked numbers, in f64.
StatusOr<MaskedBlock> ReadMasked(const ScienceFile& file,
                                 const VariableInfo& info,
                                 const Block& block,
                                 DType dtype = DType::kF32,
                                 const UnitConversion& conversion = {});

// What is done with the stored numbers, as lines for the log: "packed as i16,
// x 0.01 + 5".
StatusOr<std::vector<std::string>> PackingNotes(const ScienceFile& file,
                                                const VariableInfo& info);

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_FILE_MASKED_H_

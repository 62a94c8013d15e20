// The names that the safetensors format gives to our element types.

#ifndef GYRE_CORE_IO_SAFETENSORS_DTYPE_H_
#define GYRE_CORE_IO_SAFETENSORS_DTYPE_H_

#include <array>
#include <string_view>
#include <utility>

#include "gyre/core/dtype.h"

namespace gyre::internal::inline core {

inline constexpr std::array<std::pair<DType, std::string_view>, 8>
    kSafetensorsDTypes = {{{DType::kF32, "F32"},
                           {DType::kF64, "F64"},
                           {DType::kBF16, "BF16"},
                           {DType::kF16, "F16"},
                           {DType::kI32, "I32"},
                           {DType::kI64, "I64"},
                           {DType::kU8, "U8"},
                           {DType::kBool, "BOOL"}}};

inline constexpr std::string_view kMetadataKey = "__metadata__";

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_IO_SAFETENSORS_DTYPE_H_

// Sizes as people write them: 4, 4K, 64M, 1G (powers of 1024).

#ifndef GYRE_APPS_GYRE_BENCH_BYTE_SIZES_H_
#define GYRE_APPS_GYRE_BENCH_BYTE_SIZES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

// "4K,4M". Errors: an empty list, a part that is no size above 0.
StatusOr<std::vector<std::size_t>> ParseByteSizes(std::string_view text);

// "4K"; the plain number when it is no whole multiple.
std::string ByteSizeText(std::size_t bytes);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_BENCH_BYTE_SIZES_H_

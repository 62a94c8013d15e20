// The text of an einsum, taken apart.

#ifndef GYRE_AUTODIFF_OPS_EINSUM_SPEC_H_
#define GYRE_AUTODIFF_OPS_EINSUM_SPEC_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/shape.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline autodiff {

struct EinsumSpec {
  std::vector<std::string> operands;  // the letters of each
  std::string result;
  std::map<char, std::int64_t> extents;

  // Parses "ij,jk->ik" for operands of these shapes.
  static StatusOr<EinsumSpec> Parse(std::string_view text,
                                    std::span<const Shape> shapes);

  // The product of the letters' extents.
  std::int64_t Size(std::string_view letters) const;
};

// The letters of `from` that are in `other`, or (without) that are not.
std::string LettersIn(std::string_view from, std::string_view other);
std::string LettersNotIn(std::string_view from, std::string_view other);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_EINSUM_SPEC_H_

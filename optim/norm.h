// The length of a gradient, and the factor that clips it.
//
//   const double norm = GlobalNorm(reduced, layout.elements());
//   const double clip = ClipCoefficient(norm, guard.max_norm);
//
// Squares are summed in f64 in one fixed order (numerics contract, N5): the
// square of any float fits, from 1e-45 to 3e38, so the norm is right to 1e-6
// wherever the elements are, and it is finite exactly when all of them are.
// Padding is zero and adds nothing.
//
// Ranks that hold the same array may share the work: each sums some blocks,
// the sums are gathered, and NormOfBlocks gives the same bits as GlobalNorm.

#ifndef GYRE_OPTIM_NORM_H_
#define GYRE_OPTIM_NORM_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace gyre::optim {

inline constexpr std::size_t kNormBlock = 4096;  // elements

// The sum of squares of x[0 .. n), in f64.
double SumSquares(const float* x, std::size_t n);

constexpr std::size_t NormBlocks(std::size_t n) {
  return (n + kNormBlock - 1) / kNormBlock;
}
// sums[i] = the sum of squares of block first + i of x[0 .. n).
void BlockSumSquares(const float* x,
                     std::size_t n,
                     std::size_t first,
                     std::span<double> sums);
double NormOfBlocks(std::span<const double> sums);

double GlobalNorm(const float* reduced, std::size_t n);

enum class NormKind : std::uint8_t {
  kTwo,  // the root of the sum of squares
  kMax,  // the largest magnitude
};
// Not finite exactly when an element is not.
double GlobalNorm(NormKind kind, const float* reduced, std::size_t n);

// min(1, max_norm / norm), and never NaN: 1 when the norm is not above the
// limit, and 1 when it is not finite, because such a step is not applied.
double ClipCoefficient(double norm, double max_norm);

// A factor as two floats that are multiplied one after the other: the clip
// of a huge gradient may be too small for one float to hold precisely.
struct SplitFactor {
  float first = 1;
  float second = 1;
};
SplitFactor Split(double factor);

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_NORM_H_

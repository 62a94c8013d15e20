// What made a bad number, as the cause finder tells it (cause_finder.h).

#ifndef GYRE_AUTODIFF_EXEC_CAUSE_H_
#define GYRE_AUTODIFF_EXEC_CAUSE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gyre/autodiff/tape.h"

namespace gyre {

struct CauseOperand {
  std::string maker;             // "batch.x", "constant", "select"
  SourceLoc loc;                 // of an operation
  std::optional<double> number;  // at the element, where it has the same shape
  double least = 0;              // of its finite numbers
  double largest = 0;
  std::int64_t bad = 0;  // how many are not finite
};

struct Cause {
  std::string name;       // "log"; "batch.x" for an input that came so
  bool is_input = false;  // came with the batch, a parameter or a constant
  bool received = false;  // came out of a collective that got none from here
  // It left for other ranks, and what it was part of here is finite, or bad
  // only by what others sent. Of no account unless theirs are bad by it.
  bool sent = false;
  // Its place in the step, the same on all ranks; inputs have -1.
  int order = -1;
  internal::Phase phase = internal::Phase::kForward;
  SourceLoc loc = {};  // the user's line; backward: of what it differentiates
  DType dtype = DType::kF32;
  Shape shape = {};          // of the result
  std::int64_t element = 0;  // the first bad one, in row-major order
  double value = 0;          // NaN, or an infinity
  std::int64_t bad = 0;      // how many of its elements are not finite
  std::vector<CauseOperand> operands = {};
  // What handed it on, to the result: "square (backward) at losses.cc:31".
  std::vector<std::string> path = {};
  int result = -1;  // of those given to Create, the one that is bad; -1: none
  int others = 0;   // further producers that reach one

  std::string Describe() const;
};

}  // namespace gyre

namespace gyre::internal::inline autodiff {

// What a rank tells the others of its first cause.
struct CauseMark {
  bool found = false;
  bool received = false;
  bool sent = false;
  bool harmed = false;  // a result of this rank is bad
  int micro_batch = 0;
  int order = -1;
};

// The rank whose cause was the first of all: the earliest in the step. What
// was received is another rank's, if one had sent it before; else no rank had
// made it: the collective itself did, as a sum does that overflows. Nothing if
// no rank is harmed.
std::optional<int> FirstRank(std::span<const CauseMark> ranks);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_CAUSE_H_

// Faults made on purpose, to see that the guard holds.
//
//   --inject nan_grad@rank=2,step=50
//   --inject inf_grad@rank=0,step=3,tensor=hidden.w
//   --inject 'nan_grad@rank=1,step=5;huge_data@rank=0,step=9'
//   --inject 'any_any@rate=0.2,seed=7'      at random, in 20% of the steps
//
// A fault is a value and a place: nan, inf, -inf, huge (1e30) or tiny (a
// denormal), in
//   data    an f32 tensor of the rank's batch, before the step
//   act     the model's output, on the way to the loss
//   grad    the rank's gradient, after the backward pass and before the guard
//           looks: where a fault of the model or of the hardware would show
//   update  the reduced gradient, after the guard has judged it: what an
//           optimizer makes of it is then bad on all ranks alike
// A bit may turn over, too: flip_param and flip_moment, in a parameter or in
// the optimizer's first state, on one rank, before the step
// (train/step/flip.h).
//
//   --inject flip_param@rank=1,step=50,tensor=hidden.w,element=3,bit=30
//
// `any` draws the value or the place. With a rate, rank, tensor and element
// are drawn too, unless given; the same draws on every rank.

#ifndef GYRE_TRAIN_FAULTS_FAULT_H_
#define GYRE_TRAIN_FAULTS_FAULT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/optim/layout.h"

namespace gyre {

enum class FaultPlace : std::uint8_t {
  kData,
  kActivation,
  kGradient,
  kUpdate,
  kParam,  // these two for flips alone, and never drawn
  kMoment,
};
enum class FaultValue : std::uint8_t {
  kNaN,
  kInf,
  kMinusInf,
  kHuge,
  kTiny,
  kFlip,
};
// Those that are drawn.
inline constexpr int kFaultPlaces = 4;
inline constexpr int kFaultValues = 5;

std::string_view Name(FaultPlace place);
std::string_view Name(FaultValue value);
float NumberOf(FaultValue value);  // but of kFlip

struct Fault {
  std::string kind;                 // "nan_grad", as it was written
  std::optional<FaultValue> value;  // none: drawn
  std::optional<FaultPlace> place;  // none: drawn
  std::optional<int> rank;          // none: drawn, or 0 without a rate
  std::int64_t step = 0;
  double rate = 0;  // above 0: at random, instead of `step`
  std::uint64_t seed = 0;
  std::string tensor;  // empty: drawn, or the first without a rate
  std::optional<std::int64_t> element;
  int bit = 0;  // of a flip; 0: the last of the mantissa
};

// What happens in one step.
struct FaultHit {
  FaultPlace place = FaultPlace::kGradient;
  FaultValue value = FaultValue::kNaN;
  int rank = 0;
  std::string tensor;         // empty: by `draw`
  std::int64_t element = -1;  // -1: by `draw`
  std::uint32_t draw = 0;
  int bit = 0;

  // Which of `count` tensors or elements.
  std::int64_t Tensor(std::int64_t count) const { return draw % count; }
  std::int64_t Element(std::int64_t count) const {
    return element >= 0 ? element % count : (draw / 7) % count;
  }
};

class FaultPlan {
 public:
  FaultPlan() = default;

  // Faults separated by ';'. Errors name what was not understood and list
  // what could have been written.
  static StatusOr<FaultPlan> Parse(std::string_view text);

  // Errors: a rank outside the world, a tensor that the model does not have,
  // an element outside it.
  Status Check(const optim::FlatLayout& layout, int ranks) const;

  // All that happens in a step, on every rank; the same list on all.
  std::vector<FaultHit> Hits(std::int64_t step, int ranks) const;

  const std::vector<Fault>& faults() const { return faults_; }
  bool empty() const { return faults_.empty(); }
  // Whether one of them may be at this place.
  bool MayHit(FaultPlace place) const;

 private:
  std::vector<Fault> faults_;
};

// The tensor that a hit falls into, or -1.
int TensorOf(const FaultHit& hit, const optim::FlatLayout& layout);

// Writes one hit into a flat array of the layout.
void WriteHit(const FaultHit& hit,
              const optim::FlatLayout& layout,
              float* flat);

}  // namespace gyre

#endif  // GYRE_TRAIN_FAULTS_FAULT_H_

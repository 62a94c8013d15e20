// Faults made on purpose, to see that the guard holds.
//
//   --inject nan_grad@rank=2,step=50
//   --inject inf_grad@rank=0,step=3,tensor=hidden.w
//   --inject 'nan_grad@rank=1,step=5;huge_grad@rank=0,step=9'
//
// A fault is written into this rank's gradient after the backward pass and
// before the guard looks: where a fault of the model or of the hardware would
// show.

#ifndef GYRE_TRAIN_FAULT_H_
#define GYRE_TRAIN_FAULT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "optim/layout.h"

namespace gyre {

struct Fault {
  float value = 0;   // what is written
  std::string kind;  // "nan_grad", "inf_grad", "huge_grad"
  int rank = 0;
  std::int64_t step = 0;
  std::string tensor;  // empty: the first
  std::int64_t element = 0;
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

  // Writes this step's faults of `rank` into its flat gradient; says how
  // many.
  int Apply(std::int64_t step,
            int rank,
            const optim::FlatLayout& layout,
            float* grads) const;

  const std::vector<Fault>& faults() const { return faults_; }
  bool empty() const { return faults_.empty(); }

 private:
  std::vector<Fault> faults_;
};

}  // namespace gyre

#endif  // GYRE_TRAIN_FAULT_H_

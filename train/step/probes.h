// What a run sees of values that its model or loss has named by probe() and
// print().

#ifndef GYRE_TRAIN_STEP_PROBES_H_
#define GYRE_TRAIN_STEP_PROBES_H_

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/tape.h"

namespace gyre::internal::inline train {

// Of one value, of all micro-batches of a step, on this rank.
struct ProbeNumbers {
  std::string name;
  std::int64_t finite = 0;
  std::int64_t bad = 0;  // NaN and infinities
  double sum = 0;        // as the next two, of the finite ones
  double least = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
};

class Probes {
 public:
  // Makes a plan tell of the tape's probes, from event `first_event` on.
  void Record(Tape& tape, int first_event);

  // Before a step. One that is not due is not looked at.
  void Begin(std::int64_t step, bool due);
  // The i-th probe's value is there.
  void Look(std::size_t i, const KernelArgs& args);
  // Of the last step; empty where it was not due.
  std::span<const ProbeNumbers> numbers() const {
    return due_ ? std::span<const ProbeNumbers>(numbers_)
                : std::span<const ProbeNumbers>();
  }

 private:
  struct Watched {
    TensorSpec spec;
    bool prints = false;
  };

  std::vector<Watched> watched_;
  std::vector<ProbeNumbers> numbers_;
  std::int64_t step_ = 0;
  bool due_ = false;
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_PROBES_H_

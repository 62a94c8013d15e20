// The guard's local half: looks at this rank's gradient before it is reduced,
// because the sum hides who was first.
//
//   LocalFindings found(layout);
//   found.ScanTensors(layout, grads, 0, layout.count());   // or by bucket
//   found.CheckLoss(loss);
//   site.note = found.ToNote();              // travels with the reduction
//   Contain(guard.policy, layout, found, grads);  // no NaN enters a sum
//
// One pass per tensor counts (by bits) what is not finite and sums the
// squares of the rest.

#ifndef GYRE_OPTIM_SCAN_H_
#define GYRE_OPTIM_SCAN_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gyre/mesh/control_record.h"
#include "gyre/optim/guard.h"
#include "gyre/optim/layout.h"

namespace gyre::optim {

struct TensorFinding {
  int tensor = 0;
  std::int64_t nan = 0;
  std::int64_t inf = 0;
  std::int64_t first = 0;  // element of the tensor
};

class LocalFindings {
 public:
  explicit LocalFindings(const FlatLayout& layout)
      : sum_squares_(layout.count()) {}

  // Forgets the last step, keeps the memory.
  void Reset();

  // Looks at tensors [begin, end) of the flat array, once a step each.
  void ScanTensors(const FlatLayout& layout,
                   const float* grads,
                   int begin,
                   int end);
  void CheckLoss(double loss);
  // The loss is bad because of another rank.
  void ForgiveLoss() { bad_loss_ = false; }

  bool bad() const { return bad_loss_ || !tensors_.empty(); }
  bool bad_loss() const { return bad_loss_; }
  // Only tensors with something bad, in the order of the scan.
  std::span<const TensorFinding> tensors() const { return tensors_; }
  std::int64_t bad_elements() const;

  // Of the finite elements, per tensor: telemetry.
  std::span<const double> sum_squares() const { return sum_squares_; }
  // The local norm, of the finite elements. It never clips.
  double Norm() const;

  // What the other ranks are told.
  internal::Note ToNote() const;
  // The same with the policies of the tensors found.
  internal::Note ToNote(const Guard& guard, const FlatLayout& layout) const;
  // "encoder.w: 2 NaN and 1 Inf of 4096, first at element 17; ..."
  std::string Describe(const FlatLayout& layout) const;

 private:
  std::vector<TensorFinding> tensors_;
  std::vector<double> sum_squares_;
  bool bad_loss_ = false;
};

// A whole array and a loss at once.
LocalFindings ScanLocal(const FlatLayout& layout,
                        const float* grads,
                        double loss);

// Sets the bad elements of the tensors found to 0.
void Sanitise(const FlatLayout& layout,
              std::span<const TensorFinding> found,
              float* grads);

// What the policy asks of a rank before its gradient is reduced: kDropRank
// sets the gradient of a rank with findings to 0 altogether, kObserve leaves
// everything as it is, the others sanitise.
void Contain(Policy policy,
             const FlatLayout& layout,
             const LocalFindings& found,
             float* grads);
// The same where groups of tensors have policies of their own. Of the tensors
// found, the first `done` are dealt with already, and may be on their way to
// other ranks: they are not touched.
void Contain(const Guard& guard,
             const FlatLayout& layout,
             const LocalFindings& found,
             float* grads,
             std::size_t done = 0);

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_SCAN_H_

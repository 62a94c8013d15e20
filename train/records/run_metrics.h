// Numbers that a run records beside its own: what hooks set, and terms that a
// loss reports.

#ifndef GYRE_TRAIN_RECORDS_RUN_METRICS_H_
#define GYRE_TRAIN_RECORDS_RUN_METRICS_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "gyre/core/status.h"
#include "gyre/train/step/train_step.h"

namespace gyre {

// Numbers that hooks add to the line of a step.
class RunMetrics {
 public:
  // In metrics.jsonl, TensorBoard and the report. All ranks set the same: an
  // error of kind mismatch otherwise. A NaN is written as "NaN".
  void Set(std::string_view name, double value);
  // In this rank's own record, ranks/00003.jsonl.
  void SetLocal(std::string_view name, double value);
  // Of this step; a hook's, or "loss", "grad_norm", "lr" of the step.
  std::optional<double> Find(std::string_view name) const;

  using Numbers = std::map<std::string, double, std::less<>>;
  const Numbers& shared() const { return shared_; }
  const Numbers& local() const { return local_; }
  // The first name that was refused: empty, or of the record itself.
  const Status& status() const { return status_; }
  void Begin(const StepReport& report);  // of a step
  void Clear();

 private:
  void CheckName(std::string_view name);

  Numbers shared_;
  Numbers local_;
  Numbers of_step_;
  Status status_;
};

}  // namespace gyre

#endif  // GYRE_TRAIN_RECORDS_RUN_METRICS_H_

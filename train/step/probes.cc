#include "gyre/train/step/probes.h"

#include <algorithm>

#include "gyre/autodiff/exec/number_view.h"
#include "gyre/core/finite.h"
#include "gyre/core/log.h"
#include "gyre/train/step/ready_op.h"

namespace gyre::internal::inline train {
namespace {

void Add(const NumberView& view, ProbeNumbers& numbers) {
  for (std::int64_t i = 0; i < view.size(); ++i) {
    const double x = view[i];
    if (!IsFinite(x)) {
      ++numbers.bad;
      continue;
    }
    ++numbers.finite;
    numbers.sum += x;
    numbers.least = std::min(numbers.least, x);
    numbers.largest = std::max(numbers.largest, x);
  }
}

// "[0.5, 2, ...] of (16, 1)"
std::string Listed(const NumberView& view, const Shape& shape) {
  constexpr std::int64_t kMost = 16;
  std::string text = "[";
  for (std::int64_t i = 0; i < std::min(view.size(), kMost); ++i) {
    text += Cat(i == 0 ? "" : ", ", view[i]);
  }
  if (view.size() > kMost) text += ", ...";
  return Cat(text, "] of ", shape);
}

}  // namespace

void Probes::Record(Tape& tape, int first_event) {
  for (const NamedValue& probe : tape.probes()) {
    const Var value(&tape, probe.value);
    const Tape::Scope scope(tape, Phase::kForward);
    RecordReady(tape,
                Cat("probe ", probe.name),
                first_event + static_cast<int>(watched_.size()),
                {&value, 1});
    watched_.push_back({tape.value(probe.value).spec, probe.prints});
    numbers_.push_back({.name = probe.name});
  }
}

void Probes::Begin(std::int64_t step, bool due) {
  step_ = step;
  due_ = due;
  if (!due) return;
  for (ProbeNumbers& numbers : numbers_) {
    numbers = {.name = std::move(numbers.name)};
  }
}

void Probes::Look(std::size_t i, const KernelArgs& args) {
  if (!due_) return;
  const Watched& watched = watched_[i];
  const NumberView view(args.in[0], watched.spec);
  Add(view, numbers_[i]);
  if (!watched.prints) return;
  const bool own = watched.spec.varies != 0;
  const int rank = args.context->mesh->rank();
  if (!own && rank != 0) return;
  LogInfo("step ",
          step_,
          own ? Cat(", rank ", rank) : "",
          ": ",
          numbers_[i].name,
          " = ",
          Listed(view, watched.spec.shape));
}

}  // namespace gyre::internal::inline train

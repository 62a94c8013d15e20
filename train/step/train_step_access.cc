// TrainStep: what it shows of its state to records, checkpoints and evidence.

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/exec/number_view.h"
#include "gyre/core/finite.h"
#include "gyre/core/hash.h"
#include "gyre/train/step/denominators.h"
#include "gyre/train/step/step_state.h"
#include "gyre/train/step/sync_ops.h"
#include "gyre/train/step/train_step.h"

namespace gyre {

using namespace internal;

void TrainStep::RequestStop(int signal) { state_->stop_wanted = signal; }

void TrainStep::RequestEnd(bool failed) { state_->end_wanted = failed; }

void TrainStep::set_flight(FlightRecorder* flight) { state_->flight = flight; }

const Plan& TrainStep::plan() const { return executor_->plan(); }

const optim::FlatLayout& TrainStep::layout() const { return state_->layout; }

std::span<const optim::FlatLayout> TrainStep::state_layouts() const {
  return state_->state_layouts;
}

const GradientSync& TrainStep::sync() const { return state_->sync; }

const StateShards& TrainStep::shards() const { return state_->shards; }

std::span<const float> TrainStep::gradient() const {
  return {state_->grads, static_cast<std::size_t>(state_->layout.elements())};
}

const optim::FlatLayout& TrainStep::buffer_layout() const {
  return state_->buffers;
}

const optim::AnyOptimizer& TrainStep::optimizer() const {
  return state_->optimizer;
}

const optim::GuardState& TrainStep::guard_state() const {
  return state_->guard;
}

const optim::LocalFindings& TrainStep::findings() const {
  return state_->findings;
}

std::vector<MaskSum> TrainStep::MaskSums() const {
  std::vector<MaskSum> sums;
  for (std::size_t i = 0; i < denominators_->size(); ++i) {
    sums.push_back(
        {denominators_->loc(i), denominators_->Value(*executor_, i)});
  }
  return sums;
}

Tensor TrainStep::LastPrediction() const { return executor_->ResultTensor(1); }

const Mesh& TrainStep::mesh() const { return state_->mesh; }

bool TrainStep::injects() const { return !state_->faults->plan.empty(); }

int TrainStep::micro_batches() const { return state_->micro.count; }

const RankChecks& TrainStep::checks() const { return state_->checks; }

void TrainStep::SetCursor(std::uint64_t hash) { state_->check.cursor = hash; }

const StateBank& TrainStep::bank() const { return state_->current(); }

const StateBank& TrainStep::bank_before() const {
  return last_applied_ ? state_->next() : state_->current();
}

std::uint64_t TrainStep::ReducedGradientHash() const {
  return Hash64(state_->grads, layout().bytes());
}

StatusOr<StateHash> TrainStep::GatherStateHash() const {
  HashState(*state_);
  return GatherHashes(*state_);
}

bool TrainStep::ParamsFinite() const {
  return CountNonFinite(bank().params(), layout().elements()) == 0;
}

NumberView TrainStep::ResultNumbers(int result) const {
  const Graph& graph = plan().graph();
  return NumberView(executor_->Result<std::byte>(result),
                    graph.values[graph.results[result]].spec);
}

}  // namespace gyre

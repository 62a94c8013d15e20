#include "gyre/train/step/reducer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "gyre/optim/norm.h"
#include "gyre/train/step/part_exchange.h"
#include "gyre/train/step/reduce_buckets.h"
#include "gyre/train/step/reduce_shards.h"

namespace gyre::internal::inline train {
namespace {

// A length as a number that can be added: a sum of squares, or the largest
// magnitude.
double Measure(optim::NormKind kind, const float* x, std::int64_t count) {
  const auto n = static_cast<std::size_t>(count);
  return kind == optim::NormKind::kTwo ? optim::SumSquares(x, n)
                                       : optim::GlobalNorm(kind, x, n);
}

double Joined(optim::NormKind kind, double a, double b) {
  if (kind == optim::NormKind::kTwo) return a + b;
  return b <= a || std::isnan(a) ? a : b;  // NaN stays
}

}  // namespace

StatusOr<std::unique_ptr<Reducer>> Reducer::Create(const TrainSpec& spec,
                                                   const TrainState& state,
                                                   float* grads) {
  if (state.shards().on()) {
    return std::unique_ptr<Reducer>(new ShardReducer(state, grads));
  }
  const std::size_t bytes = BucketBytes(spec, state.sync());
  if (bytes > 0) return BucketReducer::Create(state, grads, bytes);
  return std::unique_ptr<Reducer>(new Reducer(state, grads));
}

CallSite Reducer::SiteOf(std::size_t i, const Note& note) const {
  return {.label = "gradients",
          .loc = SourceLoc::Current(),
          .bucket = static_cast<std::int32_t>(i),
          .step = state_.next_step(),
          .note = note};
}

ReducedGradient Reducer::Keep(std::span<const ControlRecord> records,
                              double norm) {
  records_.assign(records.begin(), records.end());
  return {records_, norm};
}

Status Reducer::AddRange(std::size_t i, const ReduceInput& input) {
  const SyncRange& range = state_.sync().ranges()[i];
  const Mesh& mesh = state_.mesh();
  Communicator* const group =
      state_.sync().in_one_piece() ? &mesh.world() : mesh.Group(range.axes);
  if (group == nullptr) return OkStatus();
  return group->AllReduce(grads_ + range.offset,
                          grads_ + range.offset,
                          range.count,
                          DType::kF32,
                          ReduceOp::kSum,
                          SiteOf(i, input.note));
}

StateWindow Reducer::WindowOf(std::size_t i) const {
  const SyncRange& range = state_.sync().ranges()[i];
  return {.first = range.offset, .count = range.count};
}

AxisSet Reducer::SpreadOf(int tensor) const {
  return state_.sync().tensor(tensor).part.axes;
}

StatusOr<ReducedGradient> Reducer::Reduce(const ReduceInput& input) {
  for (std::size_t i = 0; i < state_.sync().ranges().size(); ++i) {
    GYRE_RETURN_IF_ERROR(AddRange(i, input));
  }
  const bool all_hear = state_.sync().in_one_piece() && !state_.shards().on();
  if (!all_hear) return ExchangeParts(input);
  const double norm = input.norm.has_value()
                          ? *input.norm
                          : optim::GlobalNorm(state_.optimizer().guard().norm,
                                              grads_,
                                              state_.layout().elements());
  return Keep(state_.mesh().world().records(), norm);
}

// Of what this rank has of the tensors whose sums are spread over `axes`.
double Reducer::LengthOver(AxisSet axes) const {
  const optim::NormKind kind = state_.optimizer().guard().norm;
  const optim::FlatLayout& layout = state_.layout();
  double total = 0;
  for (std::size_t i = 0; i < state_.sync().ranges().size(); ++i) {
    const SyncRange& range = state_.sync().ranges()[i];
    const StateWindow window = WindowOf(i);
    for (int t = range.begin; t < range.end; ++t) {
      if (SpreadOf(t) != axes) continue;
      const std::int64_t first = std::max(layout[t].offset, window.first);
      const std::int64_t last = std::min(layout[t].offset + layout[t].size,
                                         window.first + window.count);
      if (last <= first) continue;
      total = Joined(kind, total, Measure(kind, grads_ + first, last - first));
    }
  }
  return total;
}

// Of a step whose gradients were added in several groups, or left in parts.
StatusOr<ReducedGradient> Reducer::ExchangeParts(const ReduceInput& input) {
  std::vector<AxisSet> spreads;
  for (int t = 0; t < state_.layout().count(); ++t) {
    const AxisSet axes = SpreadOf(t);
    const bool known =
        std::find(spreads.begin(), spreads.end(), axes) != spreads.end();
    if (axes != 0 && !known) spreads.push_back(axes);
  }
  std::vector<double> lengths;
  for (const AxisSet axes : spreads) lengths.push_back(LengthOver(axes));
  PartExchange exchange(state_, std::move(spreads));
  GYRE_RETURN_IF_ERROR(exchange.Gather(input.part_hashes,
                                       lengths,
                                       {.label = "findings and parts",
                                        .loc = SourceLoc::Current(),
                                        .step = state_.next_step(),
                                        .note = input.note}));
  const optim::NormKind kind = state_.optimizer().guard().norm;
  double length = LengthOver(0);
  exchange.ForEachLength(
      [&](double part) { length = Joined(kind, length, part); });
  const double norm =
      kind == optim::NormKind::kTwo ? std::sqrt(length) : length;
  ReducedGradient reduced = Keep(state_.mesh().world().records(), norm);
  reduced.parts_equal = exchange.PartsEqual();
  return reduced;
}

optim::UpdateArgs Reducer::UpdateOf(double grad_scale) const {
  return {.layout = &state_.layout(),
          .traits = state_.traits(),
          .state_layouts = state_.state_layouts(),
          .grads = grads_,
          .from = state_.front().read(),
          .to = state_.back().write(),
          .grad_scale = grad_scale,
          .applied_steps = state_.guard().applied};
}

StatusOr<optim::UpdateResult> Reducer::Update(double grad_scale) {
  optim::UpdateResult result = state_.optimizer().Update(UpdateOf(grad_scale));
  if (state_.sync().has_parts()) GYRE_RETURN_IF_ERROR(AgreeOnUpdate(result));
  return result;
}

Status Reducer::AgreeOnUpdate(optim::UpdateResult& result) const {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
  // The first bad tensor of all is the largest of their negatives.
  std::int64_t words[] = {
      result.non_finite,
      result.first_bad_tensor < 0 ? kNone : -result.first_bad_tensor};
  GYRE_RETURN_IF_ERROR(state_.mesh().world().AllReduce(
      words,
      words,
      std::size(words),
      DType::kI64,
      ReduceOp::kMax,
      {.label = "new values that are not finite",
       .loc = SourceLoc::Current(),
       .step = state_.next_step()}));
  result.non_finite = words[0];
  result.first_bad_tensor =
      words[1] == kNone ? -1 : static_cast<int>(-words[1]);
  return OkStatus();
}

}  // namespace gyre::internal::inline train

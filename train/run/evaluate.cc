#include "gyre/train/run/evaluate.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "gyre/mesh/shared_outcome.h"
#include "gyre/train/data/guarded_call.h"
#include "gyre/train/step/loss_sums.h"

namespace gyre {

using namespace internal;

namespace {

// The first `count` of the axis of samples.
Tensor FirstSamples(const Tensor& tensor, std::int64_t count, std::int64_t of) {
  std::vector<std::int64_t> dims = tensor.shape().dims();
  if (dims.empty() || dims[0] != of) return tensor;
  dims[0] = count;
  Tensor first(tensor.dtype(), Shape(std::move(dims)));
  std::memcpy(first.raw(), tensor.raw(), first.bytes());
  return first;
}

// A rank's part of a batch of the set.
struct SetBatch {
  SampleBatch batch;
  std::int64_t own = 0;  // of its samples, how many are not filled up
};

class EvaluateHook final : public RunHook {
 public:
  explicit EvaluateHook(Evaluate settings) : settings_(std::move(settings)) {}

  std::string name() const override { return "Evaluate"; }

  Status OnStart(HookContext& context) override {
    const SampleSet& set = settings_.data;
    steps_ = context.steps();
    if (settings_.every < 1) {
      return ConfigError("every is ", settings_.every, ": 1 or more expected");
    }
    if (set.load == nullptr || set.samples < 1) {
      return ConfigError("data has ",
                         set.samples,
                         " samples: give .samples, .batch and .load");
    }
    const int parts = context.mesh().size();
    if (set.batch < 1 || set.batch % parts != 0) {
      return ConfigError("a batch of ",
                         set.batch,
                         " cannot be split over ",
                         parts,
                         " ranks: give that of the training");
    }
    return OkStatus();
  }

  bool IsCollective(std::int64_t step) const override {
    return (step + 1) % settings_.every == 0 || step + 1 == steps_;
  }

  Status AfterStep(HookContext& context, const StepRecord& record) override {
    if (!IsCollective(record.step)) return OkStatus();
    sums_.assign(settings_.metrics.size() + 1, 0.0);
    const SampleSet& set = settings_.data;
    LossSums sums;
    for (std::int64_t first = 0; first < set.samples; first += set.batch) {
      GYRE_RETURN_IF_ERROR(AddBatch(context, first, sums));
    }
    context.metrics().Set(settings_.loss, sums.MeanLoss());
    for (const auto& [name, mean] : sums.MeanTerms()) {
      context.metrics().Set("eval_" + name, mean);
    }
    return SetMetrics(context);
  }

 private:
  std::int64_t per_rank(const HookContext& context) const {
    return settings_.data.batch / context.mesh().size();
  }

  StatusOr<SetBatch> LoadFrom(const HookContext& context,
                              std::int64_t first) const {
    const SampleSet& set = settings_.data;
    const std::int64_t count = per_rank(context);
    const std::int64_t begin = first + context.rank() * count;
    SetBatch part;
    for (std::int64_t i = begin; i < begin + count; ++i) {
      part.batch.sample_ids.push_back(std::min(i, set.samples - 1));
    }
    part.own = std::clamp<std::int64_t>(set.samples - begin, 0, count);
    GYRE_ASSIGN_OR_RETURN(part.batch.tensors, Read(part.batch.sample_ids));
    return part;
  }

  StatusOr<std::map<std::string, Tensor>> Read(
      const std::vector<std::int64_t>& ids) const {
    auto tensors = GuardedCall(ErrorKind::kData,
                               "the loader of the evaluation",
                               [&] { return settings_.data.load(ids); });
    if (tensors.ok()) return tensors;
    return Annotate(
        tensors.status(),
        Cat("samples from ", ids.front(), " to ", ids.back(), ": "));
  }

  // The loss of a batch that all ranks have, or none goes on.
  StatusOr<EvalReport> LossOf(HookContext& context,
                              const StatusOr<SetBatch>& part) {
    GYRE_RETURN_IF_ERROR(OutcomeOfAll(
        part.status(), context.mesh().world(), "evaluation batch loaded"));
    return context.step().Evaluate(part->batch, {.use_ema = settings_.use_ema});
  }

  // Adds the losses of the samples from `first` on, one batch of them.
  Status AddBatch(HookContext& context, std::int64_t first, LossSums& sums) {
    const SampleSet& set = settings_.data;
    const auto part = LoadFrom(context, first);
    GYRE_ASSIGN_OR_RETURN(const EvalReport report, LossOf(context, part));
    GYRE_RETURN_IF_ERROR(AddMetrics(context, *part));
    const auto whole = static_cast<double>(set.batch);
    sums.Add(report.loss, report.terms, report.weight.value_or(whole));
    const std::int64_t own = std::min(set.batch, set.samples - first);
    if (own == set.batch) return OkStatus();
    // A batch of nothing but the last sample has that sample's loss.
    GYRE_ASSIGN_OR_RETURN(const EvalReport filled,
                          LossOf(context, LoadFrom(context, set.samples)));
    const double share = 1 - static_cast<double>(own) / whole;
    sums.Add(filled.loss, filled.terms, -share * filled.weight.value_or(whole));
    return OkStatus();
  }

  // Of this rank's samples; the error of one rank is that of all.
  Status AddMetrics(HookContext& context, const SetBatch& part) {
    if (settings_.metrics.empty()) return OkStatus();
    GYRE_ASSIGN_OR_RETURN(
        const Tensor prediction,
        context.step().Predict(part.batch, {.use_ema = settings_.use_ema}));
    return OutcomeOfAll(AddOwnMetrics(part, prediction),
                        context.mesh().world(),
                        "evaluation metrics");
  }

  Status AddOwnMetrics(const SetBatch& part, const Tensor& predicted) {
    if (part.own == 0) return OkStatus();
    const auto count = std::ssize(part.batch.sample_ids);
    SampleBatch own;
    own.sample_ids.assign(part.batch.sample_ids.begin(),
                          part.batch.sample_ids.begin() + part.own);
    for (const auto& [name, tensor] : part.batch.tensors) {
      own.tensors[name] = FirstSamples(tensor, part.own, count);
    }
    const Tensor prediction = FirstSamples(predicted, part.own, count);
    std::size_t at = 0;
    for (const auto& entry : settings_.metrics) {
      const EvalMetric& metric = entry.second;
      GYRE_ASSIGN_OR_RETURN(
          const double mean,
          GuardedCall(ErrorKind::kConfig, "metric " + entry.first, [&] {
            return StatusOr<double>(metric(prediction, own));
          }));
      sums_[at++] += mean * static_cast<double>(part.own);
    }
    return OkStatus();
  }

  Status SetMetrics(HookContext& context) {
    if (settings_.metrics.empty()) return OkStatus();
    GYRE_RETURN_IF_ERROR(
        context.mesh().world().AllReduce(sums_.data(),
                                         sums_.data(),
                                         sums_.size(),
                                         DType::kF64,
                                         ReduceOp::kSum,
                                         {.label = "evaluation metrics"}));
    std::size_t at = 0;
    for (const auto& [name, metric] : settings_.metrics) {
      context.metrics().Set(
          name, sums_[at++] / static_cast<double>(settings_.data.samples));
    }
    return OkStatus();
  }

  const Evaluate settings_;
  std::int64_t steps_ = 0;
  std::vector<double> sums_;  // by metric, of this rank's samples
};

}  // namespace

std::shared_ptr<RunHook> Evaluate::MakeHook() const {
  return std::make_shared<EvaluateHook>(*this);
}

}  // namespace gyre

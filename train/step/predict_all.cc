// TrainStep::PredictAll: predictions of any number of samples.

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "gyre/mesh/shared_outcome.h"
#include "gyre/train/data/guarded_call.h"
#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_step.h"

namespace gyre {

using namespace internal;

namespace {

// The samples of a part: `rows` from `first` on. Behind the end stands the
// last sample, whose predictions are dropped.
std::vector<std::int64_t> IdsFrom(std::int64_t first,
                                  std::int64_t rows,
                                  std::int64_t samples) {
  std::vector<std::int64_t> ids(rows);
  std::iota(ids.begin(), ids.end(), first);
  for (std::int64_t& id : ids) id = std::min(id, samples - 1);
  return ids;
}

// The parts of all ranks, behind one another along the first axis.
StatusOr<Tensor> GatherParts(const Tensor& mine, Communicator* group) {
  if (group == nullptr) return mine;
  std::vector<std::int64_t> dims = mine.shape().dims();
  dims[0] *= group->size();
  Tensor all(mine.dtype(), Shape(std::move(dims)));
  GYRE_RETURN_IF_ERROR(
      group->AllGather(mine.raw(),
                       all.raw(),
                       static_cast<std::size_t>(mine.elements()),
                       mine.dtype(),
                       {.label = "predictions", .loc = SourceLoc::Current()}));
  return all;
}

}  // namespace

StatusOr<Tensor> TrainStep::PredictAll(std::int64_t samples,
                                       const LoadFunction& load,
                                       const EvalOptions& options) {
  const Shape& part = program_->prediction_shape();
  if (samples < 1 || part.rank() < 1) {
    return ConfigError(
        "PredictAll needs at least one sample, and a prediction with the "
        "samples along its first axis; got ",
        samples,
        " samples and a prediction ",
        part);
  }
  const AxisSet axes = mesh().WithoutUnitAxes(program_->traits().batch_axes);
  const std::int64_t rows = part[0] * program_->traits().micro_batches;
  const std::int64_t step = rows * mesh().SizeOf(axes);
  std::vector<std::int64_t> dims = part.dims();
  dims[0] = samples;
  Tensor result = Tensor::Zeros(Shape(std::move(dims)));
  const std::size_t row = result.bytes() / static_cast<std::size_t>(samples);
  for (std::int64_t first = 0; first < samples; first += step) {
    const std::int64_t mine = first + rows * mesh().Position(axes);
    SampleBatch batch;
    batch.sample_ids = IdsFrom(mine, rows, samples);
    auto tensors = GuardedCall(
        ErrorKind::kData, "the loader", [&] { return load(batch.sample_ids); });
    GYRE_RETURN_IF_ERROR(OutcomeOfAll(
        Annotate(tensors.status(),
                 Cat("rank ",
                     mesh().rank(),
                     " could not load its part of the samples from ",
                     first,
                     " on, to predict them: ")),
        mesh().world(),
        "loaded"));
    batch.tensors = *std::move(tensors);
    GYRE_ASSIGN_OR_RETURN(const Tensor own, Predict(batch, options));
    GYRE_ASSIGN_OR_RETURN(const Tensor all,
                          GatherParts(own, mesh().Group(axes)));
    std::memcpy(
        result.raw() + row * static_cast<std::size_t>(first),
        all.raw(),
        row * static_cast<std::size_t>(std::min(step, samples - first)));
  }
  return result;
}

}  // namespace gyre

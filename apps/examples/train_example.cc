#include "apps/examples/train_example.h"

#include <gyre/layers.h>
#include <gyre/main.h>
#include <gyre/optim.h>
#include <gyre/train.h>

#include <cstdio>
#include <memory>

#include "apps/examples/problem.h"

namespace gyre::examples {
namespace {

constexpr int kSteps = 300;

Status Train(World& world, const std::string& name, const LossFunction& loss) {
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                        Mesh::Create(world.comm(), {{"data", -1}}));
  GYRE_ASSIGN_OR_RETURN(FunctionSource points, Points(mesh));
  GYRE_ASSIGN_OR_RETURN(const SampleBatch example, points.Load(0));
  const TrainSpec spec = {
      .mesh = mesh,
      .model =
          [](Params& p, const BatchVars& b) {
            return Mlp{{32, 32, 1}}(p, b["x"]);
          },
      .loss = loss,
      .optimizer = optim::Chain(optim::Guard{.max_norm = 1}, optim::Adam(1e-2)),
      .example = example};
  GYRE_ASSIGN_OR_RETURN(const std::unique_ptr<TrainStep> step,
                        TrainStep::Compile(spec));
  double first = 0;
  double last = 0;
  for (int i = 0; i < kSteps; ++i) {
    GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, points.Load(i));
    GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
    GYRE_RETURN_IF_ERROR(report.outcome);
    if (i == 0) first = report.loss;
    last = report.loss;
  }
  if (world.rank() == 0) {
    std::printf("%s: loss %.4f at first, %.4f after %d steps\n",
                name.c_str(),
                first,
                last,
                kSteps);
  }
  if (!(last < first / 3)) {
    return InternalError(name, " did not learn: loss ", first, " to ", last);
  }
  return OkStatus();
}

}  // namespace

int TrainExample(const std::string& name, const LossFunction& loss) {
  return RunMain([&](World& world) { return Train(world, name, loss); });
}

}  // namespace gyre::examples

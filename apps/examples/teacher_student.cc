// Two networks in one program: a large one learns the task, and a small one
// learns what the large one makes of it. Each has a step of its own, on the
// same mesh; the student begins with the teacher's last layer and keeps it.

#include <gyre/gyre.h>

#include <iostream>

#include "apps/examples/problem.h"

using namespace gyre;

Var Body(Params& p, const BatchVars& b, std::int64_t width) {
  const Var h = tanh(linear(p, "body", b["x"], width));
  return linear(p, "head", tanh(linear(p, "neck", h, 16)), 1);
}

Var Imitate(Var pred, const BatchVars& b) {
  return mean(square(pred - b["taught"]));
}

Status Distil(World& world) {
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                        Mesh::Create(world.comm(), {{"data", -1}}));
  GYRE_ASSIGN_OR_RETURN(FunctionSource source, examples::Points(mesh));
  GYRE_ASSIGN_OR_RETURN(SampleBatch batch, source.Load(0));
  TrainSpec spec = {
      .mesh = mesh,
      .model = [](Params& p, const BatchVars& b) { return Body(p, b, 64); },
      .loss =
          [](Var pred, const BatchVars& b) {
            return mean(pointwise(Huber{0.5f}, pred, b["y"]));
          },
      .optimizer = optim::Chain(optim::Guard{.max_norm = 1}, optim::Adam(3e-3)),
      .example = batch};
  GYRE_ASSIGN_OR_RETURN(const auto teacher, TrainStep::Compile(spec));
  for (int i = 0; i < 400; ++i) {
    GYRE_ASSIGN_OR_RETURN(batch, source.Load(teacher->next_step()));
    GYRE_RETURN_IF_ERROR(teacher->Run(batch).status());
  }

  spec.model = [](Params& p, const BatchVars& b) { return Body(p, b, 8); };
  spec.loss = Imitate;
  spec.frozen = [](std::string_view name) { return name.starts_with("head."); };
  spec.example.tensors["taught"] = batch.tensors.at("y");
  GYRE_ASSIGN_OR_RETURN(const auto student, TrainStep::Compile(spec));
  for (const char* name : {"head.w", "head.b"}) {
    GYRE_ASSIGN_OR_RETURN(const Tensor layer, teacher->Parameter(name));
    GYRE_RETURN_IF_ERROR(SetParameter(*student, name, layer));
  }
  double first = 0, last = 0;
  for (int i = 0; i < 400; ++i) {
    GYRE_ASSIGN_OR_RETURN(batch, source.Load(student->next_step()));
    GYRE_ASSIGN_OR_RETURN(batch.tensors["taught"], teacher->Predict(batch));
    GYRE_ASSIGN_OR_RETURN(const StepReport report, student->Run(batch));
    (i == 0 ? first : last) = report.loss;
  }
  if (mesh.rank() == 0) {
    std::cout << "the student differs from the teacher by " << first
              << " at first and " << last << " at the end\n";
  }
  return last < 0.1 * first
             ? OkStatus()
             : InternalError(
                   "the student has not learnt: ", first, " to ", last);
}

int main() { return RunMain(Distil); }

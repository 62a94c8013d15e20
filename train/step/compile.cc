#include "gyre/train/step/compile.h"

#include <cstring>
#include <utility>

#include "gyre/mesh/agreement.h"
#include "gyre/train/step/flip.h"
#include "gyre/train/step/parameter_layout.h"
#include "gyre/train/step/program_text.h"
#include "gyre/train/step/traced_program.h"

namespace gyre::internal::inline train {
namespace {

template <class List>
void FillInitial(const List& list,
                 const optim::FlatLayout& layout,
                 float* flat) {
  for (int i = 0; i < layout.count(); ++i) {
    std::memcpy(flat + layout[i].offset,
                list[i].initial.raw(),
                list[i].initial.bytes());
  }
}

// Those of the spec, or else of the run.
StatusOr<FaultPlan> FaultsOf(const TrainSpec& spec) {
  if (!spec.faults.empty()) return spec.faults;
  return FaultPlan::Parse(spec.mesh.run_context().inject);
}

StatusOr<std::unique_ptr<TrainState>> FirstState(const TrainSpec& spec,
                                                 const FaultPlan& faults,
                                                 const TracedProgram& program) {
  GYRE_ASSIGN_OR_RETURN(optim::FlatLayout layout,
                        ParameterLayout(spec, program));
  GYRE_ASSIGN_OR_RETURN(optim::FlatLayout buffers, BufferLayout(program));
  GYRE_RETURN_IF_ERROR(faults.Check(layout, spec.mesh.size()));
  GYRE_RETURN_IF_ERROR(CheckFlips(faults, spec.optimizer, layout));
  auto state = std::make_unique<TrainState>(spec.mesh,
                                            std::move(layout),
                                            std::move(buffers),
                                            program.tensors,
                                            spec.optimizer,
                                            spec.shard_states);
  FillInitial(program.params.all(), state->layout(), state->front().params());
  FillInitial(program.params.buffers(),
              state->buffer_layout(),
              state->front().buffers().data());
  return state;
}

}  // namespace

StatusOr<StepParts> CompileParts(const TrainSpec& spec,
                                 const MakeStepEnd& make_end) {
  GYRE_RETURN_IF_ERROR(spec.optimizer.Validate());
  GYRE_RETURN_IF_ERROR(spec.checks.Validate());
  GYRE_ASSIGN_OR_RETURN(const FaultPlan faults, FaultsOf(spec));
  GYRE_ASSIGN_OR_RETURN(std::unique_ptr<TracedProgram> traced,
                        TraceProgram(spec, faults));
  // Before the first collective that depends on the program.
  GYRE_RETURN_IF_ERROR(AgreeOnLines(
      ProgramText(spec, traced->tape), "program", spec.mesh.world()));
  StepParts parts(spec);
  GYRE_ASSIGN_OR_RETURN(parts.state, FirstState(spec, faults, *traced));
  GYRE_ASSIGN_OR_RETURN(
      const SharedBuffer grads,
      spec.mesh.world().Allocate(parts.state->layout().bytes(),
                                 {.label = "gradients"}));
  parts.grads = reinterpret_cast<float*>(grads.data);
  GYRE_ASSIGN_OR_RETURN(parts.reducer,
                        Reducer::Create(spec, *parts.state, parts.grads));
  GYRE_ASSIGN_OR_RETURN(parts.program,
                        StepProgram::Compile(spec,
                                             std::move(traced),
                                             *parts.state,
                                             parts.grads,
                                             parts.reducer->buckets()));
  const StepEnd::Parts of_end = {
      .state = *parts.state,
      .faults = parts.program->faults(),
      .reducer = *parts.reducer,
      .grads = parts.grads,
      .micro_batches = spec.micro_batches,
      .checks = spec.checks,
      .batch_axes = parts.program->traits().batch_axes};
  parts.end = make_end == nullptr ? std::make_unique<StepEnd>(of_end)
                                  : make_end(of_end);
  return parts;
}

}  // namespace gyre::internal::inline train

#include "gyre/train/step/program_text.h"

#include "gyre/autodiff/plan/listing.h"

namespace gyre::internal::inline train {

std::vector<std::string> ProgramText(const TrainSpec& spec, const Tape& tape) {
  std::vector<std::string> lines = {
      Cat("mesh ", spec.mesh.Describe()),
      Cat("seed ", spec.seed),
      Cat("kernels ", spec.kernels == KernelSet::kFast ? "fast" : "reference"),
      Cat("guard ", spec.optimizer.guard().Describe()),
      Cat("optimizer ", spec.optimizer.Describe()),
      Cat("optimizer states ",
          spec.shard_states ? "in parts" : "on each rank")};
  for (const TapeInput& input : tape.inputs()) {
    const TensorSpec& tensor = tape.value(input.value).spec;
    lines.push_back(Cat(input.name, " ", tensor.dtype, " ", tensor.shape));
  }
  if (spec.probe_every > 0) {
    for (const NamedValue& probe : tape.probes()) {
      lines.push_back(Cat("probe ", probe.name, " every ", spec.probe_every));
    }
  }
  for (std::string& line : ListOperations(GraphOf(tape, {}))) {
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace gyre::internal::inline train

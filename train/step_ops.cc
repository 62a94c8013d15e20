#include "train/step_ops.h"

#include <signal.h>

#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/finite.h"
#include "train/micro_ops.h"
#include "train/shard_ops.h"
#include "train/sync_ops.h"

namespace gyre {
namespace {

// An operation that works on the step's state; its one output stands for
// "done", and the next operation waits for it.
class StateOp : public Op {
 public:
  StateOp(std::string name,
          std::string attributes,
          std::shared_ptr<StepState> state,
          Status (*run)(StepState&, const KernelArgs&))
      : name_(std::move(name)),
        attributes_(std::move(attributes)),
        state_(std::move(state)),
        run_(run) {}

  std::string_view name() const override { return name_; }
  std::string attributes() const override { return attributes_; }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec>) const override {
    return OneOutput(Shape(), DType::kU8);
  }
  std::vector<Var> Vjp(const VjpArgs& args) const override {
    return std::vector<Var>(args.inputs.size());
  }
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest&) const override {
    return std::make_unique<StateKernel>(state_, run_);
  }
  bool has_effect() const override { return true; }
  bool moves_data() const override { return true; }

 private:
  class StateKernel final : public Kernel {
   public:
    StateKernel(std::shared_ptr<StepState> state,
                Status (*run)(StepState&, const KernelArgs&))
        : state_(std::move(state)), run_(run) {}
    Status Run(const KernelArgs& args) override { return run_(*state_, args); }

   private:
    std::shared_ptr<StepState> state_;
    Status (*run_)(StepState&, const KernelArgs&);
  };

  std::string name_;
  std::string attributes_;
  std::shared_ptr<StepState> state_;
  Status (*run_)(StepState&, const KernelArgs&);
};

// A loss is a mean over the ranks: one bad gradient makes it bad on all. Ranks
// with a good one must know whose fault it was before they drop themselves,
// that is before the reduction: one more small collective a step.
Status ForgiveOthersLoss(StepState& s) {
  Communicator& world = s.mesh.world();
  GYRE_RETURN_IF_ERROR(world.Barrier({.label = "findings before the reduction",
                                      .loc = SourceLoc::Current(),
                                      .step = s.step,
                                      .note = s.findings.ToNote()}));
  for (const ControlRecord& record : world.records()) {
    if ((record.note.flags & optim::kBadGradient) == 0) continue;
    if (!s.findings.tensors().empty()) return OkStatus();
    s.findings.ForgiveLoss();
    return OkStatus();
  }
  return OkStatus();
}

Status Scan(StepState& s, const KernelArgs& args) {
  if (s.micro.index == 0) {
    WriteGradientFaults(s.layout, *s.faults, s.grads);
  }
  s.findings.Reset();
  if (s.without_guard) return OkStatus();
  s.findings.ScanTensors(s.layout, s.grads, 0, s.layout.count());
  s.findings.CheckLoss(*args.input<float>(0));
  if (s.optimizer.guard().MayDropRanks()) {
    GYRE_RETURN_IF_ERROR(ForgiveOthersLoss(s));
  }
  optim::Contain(s.optimizer.guard(), s.layout, s.findings, s.grads);
  return s.micro.several() ? JudgeMicroBatch(s) : OkStatus();
}

// Bits of Note::flags that are the guard's to leave alone: the signals by
// which a rank was asked to stop. All ranks see them in the same step.
constexpr std::uint32_t kStopTerm = 1u << 8;
constexpr std::uint32_t kStopUser = 1u << 9;

std::uint32_t StopFlags(int signal) {
  if (signal == 0) return 0;
  return signal == SIGUSR1 ? kStopUser : kStopTerm;
}

int AgreedStop(std::span<const ControlRecord> records) {
  std::uint32_t flags = 0;
  for (const ControlRecord& record : records) flags |= record.note.flags;
  if (flags & kStopTerm) return SIGTERM;
  return flags & kStopUser ? SIGUSR1 : 0;
}

Status Reduce(StepState& s, const KernelArgs&) {
  if (!s.micro.last()) return OkStatus();
  const Stopwatch watch;
  // The findings of several micro-batches have been judged already.
  Note note;
  if (!s.micro.several()) {
    note = s.findings.ToNote(s.optimizer.guard(), s.layout);
  }
  PrepareCheck(s, s.checks.Due(s.step), s.checks.StatesDue(s.step));
  note.checksum = s.check.checksum;
  note.flags |= StopFlags(s.stop_wanted);
  GYRE_RETURN_IF_ERROR(AddGradients(s, note));
  if (s.hashes_equal) NoteEqual(s);
  const Communicator& world = s.mesh.world();
  s.last = FindLast(world.records());
  s.stop_agreed = AgreedStop(world.records());
  s.reduce_s = watch.Seconds();
  return OkStatus();
}

Status Judge(StepState& s, const KernelArgs&) {
  if (!s.micro.last()) return OkStatus();
  const double norm = ReducedNorm(s);
  s.verdict = optim::Judge(
      s.mesh.world().records(), norm, s.guard, s.optimizer.guard());
  s.verdict = OverruleByMicroBatches(s, std::move(s.verdict));
  return OkStatus();
}

optim::UpdateResult UpdateParameters(StepState& s) {
  if (s.shards.on()) return UpdateWindows(s);
  return s.optimizer.Update({
      .layout = &s.layout,
      .traits = s.traits,
      .state_layouts = s.state_layouts,
      .grads = s.grads,
      .from = s.current().read(),
      .to = s.next().write(),
      .grad_scale = s.verdict.grad_scale(),
      .applied_steps = s.guard.applied,
  });
}

Status Update(StepState& s, const KernelArgs&) {
  if (!s.micro.last()) return OkStatus();
  WriteUpdateFaults(s.layout, *s.faults, s.grads);
  optim::UpdateResult result = UpdateParameters(s);
  GYRE_RETURN_IF_ERROR(AgreeOnUpdate(s, result));
  if (s.shards.on()) GYRE_RETURN_IF_ERROR(GatherParameters(s));
  // The same numbers on every rank, so the same verdict.
  const std::span<const float> buffers = s.next().buffers();
  result.non_finite += CountNonFinite(buffers.data(), buffers.size());
  s.verdict = optim::ConfirmUpdate(std::move(s.verdict),
                                   result.non_finite,
                                   result.first_bad_tensor,
                                   s.optimizer.guard());
  return OkStatus();
}

}  // namespace

void RecordStepEnd(Tape& tape,
                   const std::shared_ptr<StepState>& state,
                   Var loss,
                   std::span<const Var> grads) {
  const optim::Guard& guard = state->optimizer.guard();
  std::vector<Var> inputs = {loss};
  inputs.insert(inputs.end(), grads.begin(), grads.end());
  Var done;
  const auto record = [&](const char* name,
                          std::string attributes,
                          auto run,
                          std::span<const Var> operands) {
    done = tape.RecordOne(
        std::make_shared<StateOp>(name, std::move(attributes), state, run),
        operands,
        {});
  };
  const auto after = [&] { return std::vector<Var>{done}; };
  {
    const Tape::Scope scope(tape, Phase::kGuard);
    record("guard.scan", guard.Describe(), &Scan, inputs);
    record("grads.reduce", "tree order", &Reduce, after());
    record("guard.judge", guard.Describe(), &Judge, after());
  }
  const Tape::Scope scope(tape, Phase::kUpdate);
  record("optimizer", state->optimizer.Describe(), &Update, after());
}

}  // namespace gyre

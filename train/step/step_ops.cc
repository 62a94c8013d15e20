#include "gyre/train/step/step_ops.h"

#include <signal.h>

#include <functional>
#include <utility>
#include <vector>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/core/clock.h"
#include "gyre/core/finite.h"
#include "gyre/monitor/flight/flight_recorder.h"
#include "gyre/train/step/micro_ops.h"
#include "gyre/train/step/overlap_ops.h"
#include "gyre/train/step/sample_check.h"
#include "gyre/train/step/shard_ops.h"
#include "gyre/train/step/sync_ops.h"

namespace gyre::internal::inline train {
namespace {

// An operation that works on the step's state; its one output stands for
// "done", and the next operation waits for it.
class StateOp : public Op {
 public:
  using Run = std::function<Status(StepState&, const KernelArgs&)>;

  StateOp(std::string name,
          std::string attributes,
          std::shared_ptr<StepState> state,
          Run run,
          bool early)
      : name_(std::move(name)),
        attributes_(std::move(attributes)),
        state_(std::move(state)),
        run_(std::move(run)),
        early_(early) {}

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
  bool runs_early() const override { return early_; }
  bool moves_data() const override { return true; }

 private:
  class StateKernel final : public Kernel {
   public:
    StateKernel(std::shared_ptr<StepState> state, StateOp::Run run)
        : state_(std::move(state)), run_(std::move(run)) {}
    Status Run(const KernelArgs& args) override { return run_(*state_, args); }

   private:
    std::shared_ptr<StepState> state_;
    StateOp::Run run_;
  };

  std::string name_;
  std::string attributes_;
  std::shared_ptr<StepState> state_;
  Run run_;
  bool early_;
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

// The sums in a loss are where a rank that is late with its batch is waited
// for: behind them all ranks are together again.
void NoteForwardArrival(StepState& s) {
  s.before.reset();
  const std::span<const ControlRecord> records = s.mesh.world().records();
  if (records.empty() || records[0].step != std::uint32_t(s.step)) return;
  s.before = FindLast(records);
}

Status Scan(StepState& s, const KernelArgs& args) {
  NoteForwardArrival(s);
  if (s.micro.index == 0) {
    WriteGradientFaults(s.layout, *s.faults, s.grads, 0, s.layout.count());
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
// which a rank was asked to stop, and that it has an error to tell. All ranks
// see them in the same step.
constexpr std::uint32_t kStopTerm = 1u << 8;
constexpr std::uint32_t kStopUser = 1u << 9;
constexpr std::uint32_t kEndByError = 1u << 10;

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

bool AgreedEnd(std::span<const ControlRecord> records) {
  std::uint32_t flags = 0;
  for (const ControlRecord& record : records) flags |= record.note.flags;
  return (flags & kEndByError) != 0;
}

// What this rank tells all others with its gradients.
Note StepNote(StepState& s) {
  // The findings of several micro-batches have been judged already.
  Note note;
  if (!s.micro.several()) {
    note = s.findings.ToNote(s.optimizer.guard(), s.layout);
  }
  PrepareCheck(s, s.checks.Due(s.step), s.checks.StatesDue(s.step));
  note.checksum = s.check.checksum;
  // The count of a rank without findings is free for another number.
  if ((note.flags & (optim::kBadGradient | optim::kBadLoss)) == 0) {
    note.value = s.samples_hash;
  }
  note.flags |= StopFlags(s.stop_wanted);
  if (s.end_wanted) note.flags |= kEndByError;
  return note;
}

void Heed(StepState& s) {
  if (s.hashes_equal) NoteEqual(s);
  s.samples_right = SamplesLookRight(s.mesh, s.batch_axes, s.told());
  s.last = FindLast(s.told());
  const bool earlier = s.before.has_value() && s.last.has_value() &&
                       s.before->behind_ns > s.last->behind_ns;
  if (earlier) s.last = s.before;
  s.stop_agreed = AgreedStop(s.told());
  s.end_agreed = AgreedEnd(s.told());
}

// The reduction in the flight recorder's ring of collectives, if there is one.
std::uint64_t EnterFlight(StepState& s) {
  if (s.flight == nullptr) return 0;
  return s.flight->Enter("all_reduce", "gradients", s.layout.bytes());
}

void LeaveFlight(StepState& s, std::uint64_t entered) {
  if (s.flight == nullptr) return;
  const LastArrival last = s.last.value_or(LastArrival{-1, 0});
  s.flight->Leave(entered, last.rank, last.behind_ns);
}

Status Reduce(StepState& s, const KernelArgs&) {
  if (!s.micro.last()) return OkStatus();
  const Stopwatch watch;
  const std::uint64_t entered = EnterFlight(s);
  GYRE_RETURN_IF_ERROR(AddGradients(s, StepNote(s)));
  Heed(s);
  s.reduce_s = watch.Seconds();
  LeaveFlight(s, entered);
  return OkStatus();
}

// The last bucket, the first to be posted, begins the guard's work on a step,
// and the first one, with the loss, ends it.
Status PostOne(StepState& s, std::size_t i, const KernelArgs& args) {
  if (i + 1 == s.overlap->buckets.size()) {
    NoteForwardArrival(s);
    s.overlap->handles.clear();
    s.findings.Reset();
  }
  GuardBucket(s, i);
  const bool last = i == 0;
  if (last && !s.without_guard) s.findings.CheckLoss(*args.input<float>(0));
  PostBucket(s, i, last ? StepNote(s) : Note());
  return OkStatus();
}

// What is left of the reduction when there is nothing else to do.
Status Await(StepState& s, const KernelArgs&) {
  const Stopwatch watch;
  const std::uint64_t entered = EnterFlight(s);
  GYRE_RETURN_IF_ERROR(AwaitBuckets(s));
  NoteHashes(s);
  Heed(s);
  s.reduce_s = watch.Seconds();
  LeaveFlight(s, entered);
  return OkStatus();
}

Status Judge(StepState& s, const KernelArgs&) {
  if (!s.micro.last()) return OkStatus();
  const double norm = ReducedNorm(s);
  s.verdict = optim::Judge(s.told(), norm, s.guard, s.optimizer.guard());
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
  Var done;  // of the operation before
  const auto record = [&](const char* name,
                          std::string attributes,
                          StateOp::Run run,
                          std::vector<Var> operands,
                          bool early = false) {
    if (done.valid()) operands.push_back(done);
    done = tape.RecordOne(
        std::make_shared<StateOp>(
            name, std::move(attributes), state, std::move(run), early),
        operands,
        {});
  };
  {
    const Tape::Scope scope(tape, Phase::kGuard);
    std::vector<Var> inputs = {loss};
    if (state->overlap == nullptr) {
      inputs.insert(inputs.end(), grads.begin(), grads.end());
      record("guard.scan", guard.Describe(), &Scan, inputs);
      record("grads.reduce", "tree order", &Reduce, {});
    } else {
      const std::vector<GradientBucket>& buckets = state->overlap->buckets;
      for (std::size_t i = buckets.size(); i-- > 0;) {
        const auto mine =
            grads.subspan(buckets[i].begin, buckets[i].end - buckets[i].begin);
        inputs.assign(mine.begin(), mine.end());
        if (i == 0) inputs.insert(inputs.begin(), loss);
        record(
            "grads.post",
            Cat("bucket ", i, " ", guard.Describe()),
            [i](StepState& s, const KernelArgs& args) {
              return PostOne(s, i, args);
            },
            inputs,
            true);
      }
      record("grads.await", "tree order", &Await, {});
    }
    record("guard.judge", guard.Describe(), &Judge, {});
  }
  const Tape::Scope scope(tape, Phase::kUpdate);
  record("optimizer", state->optimizer.Describe(), &Update, {});
}

}  // namespace gyre::internal::inline train

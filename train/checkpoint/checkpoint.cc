#include "gyre/train/checkpoint/checkpoint.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "gyre/autodiff/plan/plan.h"
#include "gyre/core/clock.h"
#include "gyre/core/finite.h"
#include "gyre/core/hash.h"
#include "gyre/core/io/file.h"
#include "gyre/core/log.h"
#include "gyre/mesh/shared_outcome.h"
#include "gyre/train/checkpoint/checkpoint_files.h"
#include "gyre/train/checkpoint/checkpoint_rotation.h"
#include "gyre/train/checkpoint/guard_json.h"
#include "gyre/train/checkpoint/same_checkpoint.h"
#include "gyre/train/context/replay_request.h"
#include "gyre/train/step/part_exchange.h"
#include "gyre/train/step/state_tensors.h"
#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_state.h"
#include "gyre/train/step/whole_state.h"

namespace gyre {

using namespace internal;

namespace {

// What a checkpoint belongs to: where one of these is another when it is
// loaded, that is said.
Json Belongings(const TrainStep& step) {
  return Json::Object(
      {{"optimizer", step.state().optimizer().Describe()},
       {"mesh", step.mesh().Describe()},
       {"world", step.mesh().size()},
       {"fingerprint", HexHash(step.program().plan().Fingerprint())},
       {"seed", step.program().traits().seed},
       {"micro_batches", step.program().traits().micro_batches}});
}

Json BaseManifest(const TrainStep& step, const StateView& state) {
  Json manifest = Json::Object(
      {{"format", kCheckpointFormat},
       {"next_step", state.next_step},
       {"unguarded", step.state().optimizer().guard().unguarded()}});
  const Json belongings = Belongings(step);
  for (const auto& [key, value] : belongings.members()) {
    manifest.Set(key, value);
  }
  return manifest.Set("counters", GuardStateJson(state.guard))
      .Set("versions",
           Json::Object({{"gyre", GYRE_VERSION}, {"compiler", __VERSION__}}));
}

// [{"what", "then", "now"}], of what was another.
Json Changes(const Json& manifest, const TrainStep& step) {
  Json changes = Json::Array();
  const Json belongings = Belongings(step);
  for (const auto& [key, now] : belongings.members()) {
    const Json* const then = manifest.Find(key);
    // (Evidence writes the seed as text, and is the same run anyway.)
    if (then == nullptr || *then == now) continue;
    if (then->is_string() != now.is_string()) continue;
    changes.Append(
        Json::Object({{"what", key}, {"then", *then}, {"now", now}}));
  }
  return changes;
}

void WarnOfChanges(const Json& changes, const std::string& folder) {
  for (const Json& change : changes.elements()) {
    // Another mesh has another plan; and both may change, to the bit.
    const std::string what = change.GetString("what").value_or("");
    if (what != "optimizer" && what != "seed") continue;
    LogWarning(folder,
               " was written with another ",
               what,
               "; from here on this run's holds.\n  then: ",
               change.Find("then")->Dump(),
               "\n  now:  ",
               change.Find("now")->Dump());
  }
}

// The tensor as the model has it.
StatusOr<Tensor> Fitting(const TensorsByName& tensors,
                         const StateTensor& wanted,
                         const std::string& folder) {
  const auto found = tensors.find(wanted.name);
  if (found == tensors.end()) {
    return CheckpointError(folder,
                           ": no tensor \"",
                           wanted.name,
                           "\"; the checkpoint is of another model or "
                           "optimizer");
  }
  const Tensor& t = found->second;
  if (t.dtype() == DType::kF32 && t.shape() == wanted.part.whole) return t;
  return CheckpointError(folder,
                         ": \"",
                         wanted.name,
                         "\" is ",
                         t.dtype(),
                         " ",
                         t.shape(),
                         ", the model has f32 ",
                         wanted.part.whole);
}

// Puts tensors of one kind together, on rank 0; all ranks give their parts.
Status Gather(const TrainStep& step,
              const std::vector<StateTensor>& tensors,
              std::span<const float> array,
              TensorsByName& whole) {
  for (const StateTensor& tensor : tensors) {
    if (tensor.cannot_join) {
      return CheckpointError("\"",
                             tensor.name,
                             "\" belongs to a tensor that is cut over ranks "
                             "and has another shape: no checkpoint can hold "
                             "it; use an optimizer without such states");
    }
    const bool cut = tensor.part.is_part();
    if (!cut && step.mesh().rank() != 0) continue;
    GYRE_ASSIGN_OR_RETURN(
        Tensor joined, GatherWhole(step.mesh(), tensor.part, tensor.In(array)));
    if (step.mesh().rank() == 0) whole[tensor.name] = std::move(joined);
  }
  return OkStatus();
}

// This rank's array of one kind, out of whole tensors.
StatusOr<std::vector<float>> Take(const TrainStep& step,
                                  const std::vector<StateTensor>& wanted,
                                  std::int64_t elements,
                                  const TensorsByName& whole,
                                  const std::string& folder) {
  std::vector<float> array(elements, 0.0f);
  for (const StateTensor& tensor : wanted) {
    GYRE_ASSIGN_OR_RETURN(const Tensor found, Fitting(whole, tensor, folder));
    const std::span<float> mine = tensor.In(std::span(array));
    if (tensor.part.is_part()) {
      TakeOwn(step.mesh(), tensor.part, found, mine);
    } else {
      std::memcpy(mine.data(), found.raw(), found.bytes());
    }
  }
  return array;
}

// As StateArrays::all().
StatusOr<std::vector<float>> TakeBank(const TrainStep& step,
                                      const TensorsByName& whole,
                                      const std::string& folder) {
  const StateTensors wanted = TensorsOf(step.state());
  GYRE_ASSIGN_OR_RETURN(std::vector<float> all,
                        Take(step,
                             wanted.params,
                             step.state().layout().elements(),
                             whole,
                             folder));
  for (std::size_t k = 0; k < wanted.states.size(); ++k) {
    GYRE_ASSIGN_OR_RETURN(const std::vector<float> flat,
                          Take(step,
                               wanted.states[k],
                               step.state().state_layouts()[k].elements(),
                               whole,
                               folder));
    const std::vector<float> own = TakeOwnState(step.state(), flat);
    all.insert(all.end(), own.begin(), own.end());
  }
  GYRE_ASSIGN_OR_RETURN(const std::vector<float> buffers,
                        Take(step,
                             wanted.buffers,
                             step.state().buffer_layout().elements(),
                             whole,
                             folder));
  all.insert(all.end(), buffers.begin(), buffers.end());
  return all;
}

// The first that is not finite.
std::string NotFinite(const TensorsByName& tensors) {
  for (const auto& [name, tensor] : tensors) {
    const auto values = tensor.data<float>();
    if (CountNonFinite(values.data(), values.size()) > 0) return name;
  }
  return "";
}

// One more than that of the checkpoint before.
std::int64_t NextSequence(const RunDirectory& run) {
  const auto latest = ReadManifest(run.checkpoints() + "/latest");
  if (!latest.ok()) return 1;
  return latest->GetInt("sequence").value_or(0) + 1;
}

Status WriteFolder(const CheckpointSnapshot& snapshot,
                   const std::string& folder,
                   Json manifest) {
  RemovePartial(folder);  // of a run that was killed while it wrote
  GYRE_RETURN_IF_ERROR(CreateDirectories(folder, kCheckpointError));
  GYRE_RETURN_IF_ERROR(WriteTensors(snapshot.tensors, folder, manifest));
  return WriteFileAtomically(
      folder + "/manifest.json", manifest.Pretty(), kCheckpointError);
}

// What rank 0 tells the others of a checkpoint that it has written; they know
// step and path.
std::string TextOf(const CheckpointInfo& info) {
  return Json::Object({{"good", info.good},
                       {"not_finite", info.not_finite},
                       {"bytes", info.bytes},
                       {"seconds", info.seconds}})
      .Dump();
}

Status ReadTold(const std::string& text, CheckpointInfo& info) {
  GYRE_ASSIGN_OR_RETURN(const Json told, Json::Parse(text, "what rank 0 told"));
  GYRE_ASSIGN_OR_RETURN(info.good, told.GetBool("good"));
  GYRE_ASSIGN_OR_RETURN(info.not_finite, told.GetString("not_finite"));
  GYRE_ASSIGN_OR_RETURN(const std::int64_t bytes, told.GetInt("bytes"));
  info.bytes = static_cast<std::size_t>(bytes);
  GYRE_ASSIGN_OR_RETURN(info.seconds, told.GetDouble("seconds"));
  return OkStatus();
}

// A checkpoint as this rank has read it, and not yet put in place.
struct LoadedState {
  Json manifest;
  optim::GuardState guard;
  std::int64_t next_step = 0;
  std::vector<float> all;  // as StateArrays::all()
};

StatusOr<LoadedState> ReadOwnState(const std::string& folder,
                                   const TrainStep& step) {
  LoadedState loaded;
  GYRE_ASSIGN_OR_RETURN(loaded.manifest, ReadManifest(folder));
  const Json* const counters = loaded.manifest.Find("counters");
  const auto next_step = loaded.manifest.GetInt("next_step");
  if (counters == nullptr || !next_step.ok() || *next_step < 0) {
    return CheckpointError(folder,
                           "/manifest.json: counters or next_step are missing");
  }
  loaded.next_step = *next_step;
  auto guard = GuardStateFrom(*counters);
  if (!guard.ok()) {
    return CheckpointError(folder, "/manifest.json: ", Message(guard.status()));
  }
  loaded.guard = *std::move(guard);
  GYRE_ASSIGN_OR_RETURN(const TensorsByName tensors,
                        ReadVerified(folder, loaded.manifest));
  GYRE_ASSIGN_OR_RETURN(loaded.all, TakeBank(step, tensors, folder));
  return loaded;
}

}  // namespace

StatusOr<CheckpointSnapshot> Snapshot(const TrainStep& step,
                                      const StateView& state) {
  CheckpointSnapshot snapshot;
  snapshot.next_step = state.next_step;
  snapshot.unguarded = step.state().optimizer().guard().unguarded();
  if (step.mesh().rank() == 0) snapshot.manifest = BaseManifest(step, state);
  const StateTensors tensors = TensorsOf(step.state());
  const std::span<const float> params(state.arrays.params(),
                                      step.state().layout().elements());
  GYRE_RETURN_IF_ERROR(Gather(step, tensors.params, params, snapshot.tensors));
  for (std::size_t k = 0; k < tensors.states.size(); ++k) {
    std::vector<float> gathered;
    std::span<const float> flat(state.arrays.states()[k],
                                step.state().state_layouts()[k].elements());
    if (step.state().shards().on()) {
      GYRE_ASSIGN_OR_RETURN(
          gathered,
          GatherState(step.state(), state.arrays, static_cast<int>(k)));
      flat = gathered;
    }
    GYRE_RETURN_IF_ERROR(
        Gather(step, tensors.states[k], flat, snapshot.tensors));
  }
  GYRE_RETURN_IF_ERROR(
      Gather(step, tensors.buffers, state.arrays.buffers(), snapshot.tensors));
  return snapshot;
}

StatusOr<CheckpointSnapshot> Snapshot(const TrainStep& step) {
  GYRE_ASSIGN_OR_RETURN(CheckpointSnapshot snapshot,
                        Snapshot(step, step.state().now()));
  GYRE_ASSIGN_OR_RETURN(const StateHash hash, GatherStateHash(step.state()));
  snapshot.manifest.Set("params_hash", HexHash(hash.hash));
  return snapshot;
}

Json DataCursor(const BatchSource& source, std::int64_t step) {
  constexpr std::size_t kFirst = 16;
  std::vector<std::int64_t> ids = source.SampleIds(step, 0);
  ids.resize(std::min(ids.size(), kFirst));
  return Json::Object({{"step", step}, {"first", Json::ArrayOf(ids)}});
}

bool SameSamples(const Json& a, const Json& b) {
  const Json* const of_a = a.Find("first");
  const Json* const of_b = b.Find("first");
  if (of_a == nullptr || of_b == nullptr) return false;
  const auto& x = of_a->elements();
  const auto& y = of_b->elements();
  const auto n = static_cast<std::ptrdiff_t>(std::min(x.size(), y.size()));
  return std::equal(x.begin(), x.begin() + n, y.begin());
}

StatusOr<CheckpointInfo> WriteCheckpoint(const CheckpointSnapshot& snapshot,
                                         const RunDirectory& run) {
  const Stopwatch watch;
  CheckpointInfo info;
  info.step = snapshot.next_step;
  info.path = run.checkpoint(snapshot.next_step);
  info.not_finite = NotFinite(snapshot.tensors);
  info.good = info.not_finite.empty() && !snapshot.unguarded;
  for (const auto& [name, tensor] : snapshot.tensors) {
    info.bytes += tensor.bytes();
  }
  Json manifest = snapshot.manifest;
  manifest.Set("good", info.good)
      .Set("unguarded", snapshot.unguarded)
      .Set("sequence", NextSequence(run))
      .Set("written", WallClock())
      .Set("carried", snapshot.carried);
  if (!info.not_finite.empty()) manifest.Set("not_finite", info.not_finite);
  const std::string name = StepName(snapshot.next_step);
  const std::string partial = PartialFolder(run.checkpoints(), name);
  Status status = WriteFolder(snapshot, partial, std::move(manifest));
  if (status.ok()) {
    status = PublishCheckpoint(
        run.checkpoints(), partial, name, info.good, snapshot.links);
  }
  if (!status.ok()) {
    RemovePartial(partial);
    return Annotate(status,
                    Cat("the checkpoint before step ",
                        snapshot.next_step,
                        " is not written, those before it are whole: "));
  }
  info.seconds = watch.Seconds();
  return info;
}

StatusOr<CheckpointInfo> SaveCheckpoint(const TrainStep& step,
                                        const RunDirectory& run) {
  GYRE_ASSIGN_OR_RETURN(const CheckpointSnapshot snapshot, Snapshot(step));
  GYRE_ASSIGN_OR_RETURN(const std::string told,
                        OutcomeOfRankZero(
                            [&]() -> StatusOr<std::string> {
                              GYRE_ASSIGN_OR_RETURN(
                                  const CheckpointInfo written,
                                  WriteCheckpoint(snapshot, run));
                              return TextOf(written);
                            },
                            step.mesh().world(),
                            "checkpoint written"));
  CheckpointInfo info;
  info.path = run.checkpoint(step.next_step());
  info.step = step.next_step();
  GYRE_RETURN_IF_ERROR(ReadTold(told, info));
  return info;
}

StatusOr<Json> WriteState(const TrainStep& step,
                          const StateView& state,
                          const std::string& folder) {
  GYRE_ASSIGN_OR_RETURN(CheckpointSnapshot snapshot, Snapshot(step, state));
  GYRE_RETURN_IF_ERROR(DoneByRankZero(
      [&]() -> Status {
        GYRE_RETURN_IF_ERROR(CreateDirectories(folder, kCheckpointError));
        return WriteTensors(snapshot.tensors, folder, snapshot.manifest);
      },
      step.mesh().world(),
      "state written"));
  return step.mesh().rank() == 0 ? snapshot.manifest : Json();
}

Status LoadCheckpoint(const std::string& path, TrainStep& step) {
  GYRE_ASSIGN_OR_RETURN(const auto replay,
                        ReplayRequest::Of(step.mesh().run_context()));
  if (replay.has_value()) return OkStatus();  // the kept state takes its place
  // Rank 0 follows the link "latest" for all: it may move meanwhile.
  GYRE_ASSIGN_OR_RETURN(
      const std::string place,
      OutcomeOfRankZero([&] { return PlaceOfCheckpoint(path); },
                        step.mesh().world(),
                        "place of the checkpoint"));
  return ReadState(FolderAt(path, place), step);
}

Status ReadState(const std::string& folder, TrainStep& step) {
  Communicator& world = step.mesh().world();
  const StatusOr<LoadedState> loaded = ReadOwnState(folder, step);
  GYRE_RETURN_IF_ERROR(OutcomeOfAll(loaded.status(), world, "checkpoint read"));
  const Json& manifest = loaded->manifest;
  GYRE_RETURN_IF_ERROR(AgreeOnCheckpoint(
      {folder, loaded->next_step, HashOfState(manifest)}, world));
  step.state().Restore(loaded->all, loaded->guard, loaded->next_step);
  Json changes = Changes(manifest, step);
  if (step.mesh().rank() == 0) WarnOfChanges(changes, folder);
  Json resumed = Json::Object({{"from", folder}});
  for (const char* key : {"cursor", "carried"}) {
    if (const Json* value = manifest.Find(key)) resumed.Set(key, *value);
  }
  step.state().SetResumed(
      std::move(resumed.Set("changed", std::move(changes))));
  return OkStatus();
}

}  // namespace gyre

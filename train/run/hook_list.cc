#include "gyre/train/run/hook_list.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "gyre/core/hash.h"
#include "gyre/core/log.h"
#include "gyre/mesh/agreement.h"
#include "gyre/mesh/gather_texts.h"
#include "gyre/mesh/shared_outcome.h"
#include "gyre/train/data/guarded_call.h"

namespace gyre::internal::inline train {
namespace {

// One call of a hook: its error, or what it threw, with rank, step and name.
template <class Call>
Status CallHook(const std::string& name,
                const char* when,
                HookContext& context,
                std::int64_t step,
                Call&& call) {
  const std::string what = Cat("hook ", name, ", ", when);
  const Status status =
      GuardedCall(ErrorKind::kConfig, what, std::forward<Call>(call));
  if (status.ok()) return status;
  const bool named = Message(status).rfind(what, 0) == 0;
  return Annotate(status,
                  Cat("rank ",
                      context.rank(),
                      ", step ",
                      step,
                      ", ",
                      named ? "" : what + ": "));
}

// "skill 3fd0000000000000": to the bit, one NaN like another.
std::vector<std::string> Lines(const RunMetrics& metrics) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : metrics.shared()) {
    const double one =
        std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
    lines.push_back(Cat(
        name, " = ", value, " ", HexHash(std::bit_cast<std::uint64_t>(one))));
  }
  return lines;
}

std::int64_t HashOf(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return static_cast<std::int64_t>(Hash64(all.data(), all.size()));
}

// The links that any rank asks for.
StatusOr<std::vector<std::string>> AllLinks(const HookContext& context) {
  Json mine = Json::Array();
  for (const std::string& link : context.links()) mine.Append(link);
  GYRE_ASSIGN_OR_RETURN(
      const std::vector<std::string> texts,
      GatherTexts(mine.Dump(), context.mesh().world(), "links of hooks"));
  std::set<std::string> links;
  for (const std::string& text : texts) {
    GYRE_ASSIGN_OR_RETURN(const Json theirs, Json::Parse(text));
    for (const Json& link : theirs.elements()) {
      GYRE_ASSIGN_OR_RETURN(const std::string name, link.AsString());
      links.insert(name);
    }
  }
  return std::vector<std::string>(links.begin(), links.end());
}

// Of the first rank that wants to stop.
StatusOr<std::string> WhyStop(const HookContext& context) {
  const std::string mine = context.stop() ? "x" + *context.stop() : "";
  GYRE_ASSIGN_OR_RETURN(
      const std::vector<std::string> texts,
      GatherTexts(mine, context.mesh().world(), "stop of a hook"));
  for (const std::string& text : texts) {
    if (!text.empty()) return text.substr(1);
  }
  return InternalError("a rank asked for a stop and did not say so");
}

// The word of all ranks on what one of them has made of a step.
StatusOr<HookWishes> Agree(const Status& mine, HookContext& context) {
  Communicator& world = context.mesh().world();
  const std::vector<std::string> lines = Lines(context.metrics());
  const std::int64_t hash = HashOf(lines);
  std::array<std::int64_t, 5> said = {!mine.ok(),
                                      context.wants_checkpoint(),
                                      context.stop().has_value(),
                                      hash,
                                      ~hash};
  const Status told = world.AllReduce(said.data(),
                                      said.data(),
                                      said.size(),
                                      DType::kI64,
                                      ReduceOp::kMax,
                                      {.label = "hooks"});
  if (!told.ok()) return mine.ok() ? told : mine;
  if (said[0] != 0) {
    GYRE_RETURN_IF_ERROR(OutcomeOfAll(mine, world, "hooks"));
    return InternalError("a rank's hook failed and did not say so");
  }
  if (said[3] != ~said[4]) {
    GYRE_RETURN_IF_ERROR(AgreeOnLines(
        lines, "numbers in metrics().Set (or use SetLocal)", world));
    return InternalError("metrics differ and are equal");
  }
  HookWishes wishes;
  wishes.checkpoint = said[1] != 0;
  if (wishes.checkpoint) {
    GYRE_ASSIGN_OR_RETURN(wishes.links, AllLinks(context));
  }
  if (said[2] != 0) {
    GYRE_ASSIGN_OR_RETURN(wishes.stop, WhyStop(context));
  }
  return wishes;
}

}  // namespace

HookList::HookList(const std::vector<Hook>& hooks) {
  std::map<std::string, int> times;
  for (const Hook& hook : hooks) {
    Entry entry{.hook = hook.Make(), .name = {}, .state = {}};
    entry.name = entry.hook->name();
    const int number = ++times[entry.name];
    if (number > 1) entry.name += Cat(" ", number);
    hooks_.push_back(std::move(entry));
  }
}

bool HookList::Has(std::string_view name) const {
  return std::any_of(hooks_.begin(), hooks_.end(), [&](const Entry& entry) {
    return entry.name == name;
  });
}

Status HookList::OnStart(HookContext& context) {
  for (Entry& entry : hooks_) {
    GYRE_RETURN_IF_ERROR(CallHook(
        entry.name, "OnStart", context, context.step().next_step(), [&] {
          return entry.hook->OnStart(context);
        }));
  }
  return OkStatus();
}

Status HookList::BeforeStep(HookContext& context, const SampleBatch& batch) {
  for (Entry& entry : hooks_) {
    GYRE_RETURN_IF_ERROR(CallHook(
        entry.name, "BeforeStep", context, context.step().next_step(), [&] {
          return entry.hook->BeforeStep(context, batch);
        }));
  }
  return OkStatus();
}

StatusOr<HookWishes> HookList::AfterStep(HookContext& context,
                                         const StepRecord& record) {
  if (hooks_.empty()) return HookWishes();
  Status mine;
  for (Entry& entry : hooks_) {
    if (entry.hook->IsCollective(record.step)) {
      GYRE_RETURN_IF_ERROR(
          OutcomeOfAll(mine, context.mesh().world(), "hooks so far"));
    }
    if (!mine.ok()) continue;
    mine = CallHook(entry.name, "AfterStep", context, record.step, [&] {
      return entry.hook->AfterStep(context, record);
    });
  }
  if (mine.ok()) mine = context.metrics().status();
  return Agree(mine, context);
}

Status HookList::OnCheckpoint(HookContext& context) {
  if (hooks_.empty()) return OkStatus();
  Status mine;
  for (Entry& entry : hooks_) {
    if (!mine.ok()) break;
    mine = CallHook(entry.name,
                    "OnCheckpoint",
                    context,
                    context.step().next_step(),
                    [&]() -> Status {
                      GYRE_RETURN_IF_ERROR(entry.hook->OnCheckpoint(context));
                      entry.state = entry.hook->Save();
                      return OkStatus();
                    });
  }
  return OutcomeOfAll(mine, context.mesh().world(), "hooks at a checkpoint");
}

void HookList::OnEnd(HookContext& context, const Status& status) {
  for (Entry& entry : hooks_) {
    const Status mine =
        CallHook(entry.name, "OnEnd", context, context.step().next_step(), [&] {
          entry.hook->OnEnd(context, status);
          return OkStatus();
        });
    if (!mine.ok()) LogWarning(Message(mine));
  }
}

std::vector<CarriedState> HookList::Carried() {
  std::vector<CarriedState> states;
  for (Entry& entry : hooks_) {
    states.push_back(
        {"hook/" + entry.name,
         [&entry] { return entry.state; },
         [&entry](const Json& saved) -> Status {
           if (saved.is_null()) return OkStatus();
           return Annotate(
               GuardedCall(ErrorKind::kConfig,
                           "Load",
                           [&] { return entry.hook->Load(saved); }),
               Cat("hook ", entry.name, ", state of the checkpoint: "));
         }});
  }
  return states;
}

}  // namespace gyre::internal::inline train

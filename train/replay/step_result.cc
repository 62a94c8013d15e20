#include "gyre/train/replay/step_result.h"

#include <bit>
#include <utility>

#include "gyre/core/hash.h"
#include "gyre/mesh/gather_texts.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {
namespace {

constexpr const char* kRankBits[] = {"loss_bits",
                                     "local_norm_bits",
                                     "bad_elements",
                                     "local_gradient",
                                     "reduced_gradient"};
constexpr const char* kVerdictBits[] = {
    "action", "reasons", "id", "norm_bits", "clip_bits"};

std::string Bits(double number) {
  return HexHash(std::bit_cast<std::uint64_t>(number));
}

std::string_view NameOf(optim::Action action) {
  switch (action) {
    case optim::Action::kApply:
      return "apply";
    case optim::Action::kSkip:
      return "skip";
    case optim::Action::kHalt:
      break;
  }
  return "halt";
}

Json VerdictJson(const TrainStep& step, const optim::Verdict& verdict) {
  return Json::Object({{"action", NameOf(verdict.action)},
                       {"reasons", verdict.reasons},
                       {"id", HexHash(verdict.id)},
                       {"norm_bits", Bits(verdict.norm)},
                       {"clip", verdict.clip},
                       {"clip_bits", Bits(verdict.clip)},
                       {"text", verdict.Describe(step.state().layout())}});
}

std::uint64_t HashOfReduced(const TrainStep& step) {
  const std::span<const float> gradient = step.last().gradient;
  return Hash64(gradient.data(), gradient.size_bytes());
}

Json RankJson(const TrainStep& step, const StepReport& report) {
  const double norm = step.last().findings->Norm();
  return Json::Object(
      {{"rank", step.mesh().rank()},
       {"loss", report.loss},
       {"loss_bits", Bits(report.loss)},
       {"local_norm", norm},
       {"local_norm_bits", Bits(norm)},
       {"bad_elements", step.last().findings->bad_elements()},
       {"local_gradient", HexHash(step.last().local_gradient_hash.value_or(0))},
       {"reduced_gradient", HexHash(HashOfReduced(step))}});
}

bool FoundBadNumbers(const StepReport& report) {
  constexpr std::uint32_t kBad = optim::kReasonsNotFinite | optim::kReasonFloor;
  return (report.verdict.reasons & kBad) != 0 || !report.micro.empty();
}

// Adds the keys whose values differ.
void CompareKeys(const Json& a,
                 const Json& b,
                 int rank,
                 std::span<const char* const> keys,
                 std::vector<ResultDifference>& out) {
  const auto text = [](const Json* value) {
    if (value == nullptr) return std::string("missing");
    return value->AsString().value_or(value->Dump());
  };
  for (const char* key : keys) {
    const std::string of_a = text(a.Find(key));
    const std::string of_b = text(b.Find(key));
    if (of_a != of_b) out.push_back({rank, key, of_a, of_b});
  }
}

// The members that every result has.
struct Parts {
  const Json* verdict;
  const Json* ranks;
};

StatusOr<Parts> PartsOf(const Json& result) {
  const Parts parts = {result.Find("verdict"), result.Find("ranks")};
  if (parts.verdict == nullptr || parts.ranks == nullptr) {
    return CheckpointError(
        "expected the result of a step with \"verdict\" and \"ranks\", got ",
        result.Dump().substr(0, 80));
  }
  return parts;
}

}  // namespace

StatusOr<Json> GatherStepResult(TrainStep& step,
                                const StepReport& report,
                                const SampleBatch& batch) {
  if (!step.last().local_gradient_hash.has_value()) {
    GYRE_RETURN_IF_ERROR(step.FindCause(batch).status());
  }
  GYRE_ASSIGN_OR_RETURN(const std::vector<std::string> texts,
                        GatherTexts(RankJson(step, report).Dump(),
                                    step.mesh().world(),
                                    "results of a step"));
  Json ranks = Json::Array();
  for (const std::string& text : texts) {
    GYRE_ASSIGN_OR_RETURN(Json entry, Json::Parse(text, "a rank's result"));
    ranks.Append(std::move(entry));
  }
  return Json::Object({{"loss", report.loss},
                       {"norm", report.verdict.norm},
                       {"bad", FoundBadNumbers(report)},
                       {"verdict", VerdictJson(step, report.verdict)},
                       {"ranks", std::move(ranks)}});
}

StatusOr<std::vector<ResultDifference>> CompareResults(const Json& a,
                                                       const Json& b) {
  GYRE_ASSIGN_OR_RETURN(const Parts of_a, PartsOf(a));
  GYRE_ASSIGN_OR_RETURN(const Parts of_b, PartsOf(b));
  std::vector<ResultDifference> differences;
  CompareKeys(*of_a.verdict, *of_b.verdict, -1, kVerdictBits, differences);
  const auto& x = of_a.ranks->elements();
  const auto& y = of_b.ranks->elements();
  if (x.size() != y.size()) {
    differences.push_back({-1, "ranks", Cat(x.size()), Cat(y.size())});
    return differences;
  }
  for (std::size_t r = 0; r < x.size(); ++r) {
    CompareKeys(x[r], y[r], static_cast<int>(r), kRankBits, differences);
  }
  return differences;
}

}  // namespace gyre::internal::inline train

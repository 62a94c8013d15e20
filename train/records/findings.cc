#include "gyre/train/records/findings.h"

#include <algorithm>
#include <utility>

#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {
namespace {

// Per tensor: NaN count, Inf count, first bad element.
constexpr std::int64_t kFields = 3;

std::vector<std::int64_t> LocalTable(const TrainStep& step,
                                     const optim::LocalFindings& found) {
  std::vector<std::int64_t> table(step.state().layout().count() * kFields + 1,
                                  0);
  for (const optim::TensorFinding& f : found.tensors()) {
    table[f.tensor * kFields] = f.nan;
    table[f.tensor * kFields + 1] = f.inf;
    table[f.tensor * kFields + 2] = f.first;
  }
  table.back() = found.bad_loss() ? 1 : 0;
  return table;
}

RankFindings FromTable(std::span<const std::int64_t> table,
                       int rank,
                       const optim::FlatLayout& layout) {
  RankFindings findings;
  findings.rank = rank;
  findings.bad_loss = table.back() != 0;
  for (int i = 0; i < layout.count(); ++i) {
    const auto fields = table.subspan(i * kFields, kFields);
    if (fields[0] + fields[1] == 0) continue;
    findings.tensors.push_back(
        {layout[i].name, fields[0], fields[1], fields[2]});
  }
  return findings;
}

// Of a rank's samples, those of part `part` of `parts`.
std::vector<std::int64_t> PartOf(std::vector<std::int64_t> samples,
                                 int part,
                                 int parts) {
  const std::size_t each = samples.size() / parts;
  return {samples.begin() + part * each, samples.begin() + (part + 1) * each};
}

StatusOr<std::vector<RankFindings>> Gather(const TrainStep& step,
                                           const StepReport& report,
                                           const BatchSource& source,
                                           const optim::LocalFindings& found,
                                           int part,
                                           int parts) {
  Communicator& world = step.mesh().world();
  const std::vector<std::int64_t> mine = LocalTable(step, found);
  std::vector<std::int64_t> all(mine.size() * world.size());
  GYRE_RETURN_IF_ERROR(world.AllGather(mine.data(),
                                       all.data(),
                                       mine.size(),
                                       DType::kI64,
                                       {.label = "guard findings",
                                        .loc = SourceLoc::Current(),
                                        .step = report.step}));
  std::vector<RankFindings> findings;
  for (int rank = 0; rank < world.size(); ++rank) {
    findings.push_back(
        FromTable(std::span(all).subspan(rank * mine.size(), mine.size()),
                  rank,
                  step.state().layout()));
    findings.back().samples =
        PartOf(source.SampleIds(report.step, rank), part, parts);
  }
  const auto bad_gradient = [](const RankFindings& f) {
    return !f.tensors.empty();
  };
  const bool any = std::any_of(findings.begin(), findings.end(), bad_gradient);
  std::erase_if(findings, [&](const RankFindings& f) {
    return any ? !bad_gradient(f) : !f.bad_loss;
  });
  return findings;
}

}  // namespace

StatusOr<std::vector<RankFindings>> GatherFindings(const TrainStep& step,
                                                   const StepReport& report,
                                                   const BatchSource& source) {
  return Gather(step, report, source, *step.last().findings, 0, 1);
}

StatusOr<std::vector<RankFindings>> GatherFindings(const TrainStep& step,
                                                   const StepReport& report,
                                                   const BatchSource& source,
                                                   const MicroFinding& micro) {
  return Gather(step,
                report,
                source,
                micro.local,
                micro.index,
                step.program().traits().micro_batches);
}

Json FindingsJson(const std::vector<RankFindings>& findings,
                  const BatchSource& source) {
  Json ranks = Json::Array();
  Json tensors = Json::Array();
  Json samples = Json::Array();
  Json sample_names = Json::Array();
  Json details = Json::Array();
  std::vector<std::string> seen;
  for (const RankFindings& f : findings) {
    ranks.Append(f.rank);
    for (const std::int64_t id : f.samples) {
      samples.Append(id);
      sample_names.Append(source.SampleName(id));
    }
    for (const TensorCount& t : f.tensors) {
      if (std::find(seen.begin(), seen.end(), t.tensor) == seen.end()) {
        seen.push_back(t.tensor);
        tensors.Append(t.tensor);
      }
      details.Append(Json::Object({{"rank", f.rank},
                                   {"tensor", t.tensor},
                                   {"nan", t.nan},
                                   {"inf", t.inf},
                                   {"first_element", t.first_element}}));
    }
  }
  return Json::Object({{"ranks", std::move(ranks)},
                       {"tensors", std::move(tensors)},
                       {"samples", std::move(samples)},
                       {"sample_names", std::move(sample_names)},
                       {"found", std::move(details)}});
}

}  // namespace gyre::internal::inline train

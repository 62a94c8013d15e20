#include "gyre/train/records/findings.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {
namespace {

// Per tensor: NaN count, Inf count, first bad element, and the sum of squares,
// of the micro-batch where that of all is largest, as the bits of a double.
constexpr std::int64_t kFields = 4;
constexpr std::int64_t kSquares = 3;

// A rank, or a tensor, with this share of the squares is named.
constexpr double kNamedShare = 0.5;

double SquaresIn(std::span<const std::int64_t> table, int tensor) {
  return std::bit_cast<double>(table[tensor * kFields + kSquares]);
}

double SquaresOf(std::span<const std::int64_t> table, int tensors) {
  double sum = 0;
  for (int t = 0; t < tensors; ++t) sum += SquaresIn(table, t);
  return sum;
}

std::vector<std::int64_t> LocalTable(const TrainStep& step,
                                     const optim::LocalFindings& found) {
  std::vector<std::int64_t> table(step.state().layout().count() * kFields + 1,
                                  0);
  for (const optim::TensorFinding& f : found.tensors()) {
    table[f.tensor * kFields] = f.nan;
    table[f.tensor * kFields + 1] = f.inf;
    table[f.tensor * kFields + 2] = f.first;
  }
  for (int t = 0; t < step.state().layout().count(); ++t) {
    table[t * kFields + kSquares] =
        std::bit_cast<std::int64_t>(step.last().largest->sum_squares()[t]);
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

// Where the reduced gradient of a tensor is largest.
std::int64_t LargestElement(const TrainStep& step, int tensor) {
  const optim::TensorSlot& slot = step.state().layout()[tensor];
  const auto values = step.last().gradient.subspan(slot.offset, slot.size);
  const auto largest =
      std::max_element(values.begin(), values.end(), [](float a, float b) {
        return std::abs(a) < std::abs(b);
      });
  return largest - values.begin();
}

// Of finite gradients that are too large together: ranks and tensors with most
// of the squares. `all`: the ranks' tables.
std::vector<RankFindings> LargestOf(const TrainStep& step,
                                    const std::vector<std::int64_t>& all,
                                    double loss_scale) {
  const int tensors = step.state().layout().count();
  const int ranks = step.mesh().size();
  const std::size_t each = all.size() / ranks;
  const auto table_of = [&](int rank) {
    return std::span(all).subspan(rank * each, each);
  };
  double total = 0;
  for (int r = 0; r < ranks; ++r) total += SquaresOf(table_of(r), tensors);
  std::vector<RankFindings> findings;
  for (int r = 0; r < ranks; ++r) {
    const double mine = SquaresOf(table_of(r), tensors);
    if (mine < kNamedShare * total) continue;
    RankFindings& rank = findings.emplace_back();
    rank.rank = r;
    for (int t = 0; t < tensors; ++t) {
      const double squares = SquaresIn(table_of(r), t);
      if (squares < kNamedShare * mine) continue;
      rank.tensors.push_back({.tensor = step.state().layout()[t].name,
                              .first_element = LargestElement(step, t),
                              .norm = std::sqrt(squares) / loss_scale});
    }
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

// Of the ranks' tables: those with a bad gradient, or else with a bad loss.
std::vector<RankFindings> BadOf(const TrainStep& step,
                                const std::vector<std::int64_t>& all) {
  const int ranks = step.mesh().size();
  const std::size_t each = all.size() / ranks;
  std::vector<RankFindings> findings;
  for (int rank = 0; rank < ranks; ++rank) {
    findings.push_back(FromTable(std::span(all).subspan(rank * each, each),
                                 rank,
                                 step.state().layout()));
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

// `found` and `verdict`: of part `part` of the step, which has `parts`.
StatusOr<std::vector<RankFindings>> Gather(const TrainStep& step,
                                           const StepReport& report,
                                           const BatchSource& source,
                                           const optim::LocalFindings& found,
                                           const optim::Verdict& verdict,
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
  std::vector<RankFindings> findings = BadOf(step, all);
  if (findings.empty() && (verdict.reasons & optim::kReasonsTooLarge) != 0) {
    findings = LargestOf(step, all, report.loss_scale);
  }
  for (RankFindings& f : findings) {
    f.samples = PartOf(source.SampleIds(report.step, f.rank), part, parts);
  }
  return findings;
}

}  // namespace

StatusOr<std::vector<RankFindings>> GatherFindings(const TrainStep& step,
                                                   const StepReport& report,
                                                   const BatchSource& source) {
  return Gather(
      step, report, source, *step.last().findings, report.verdict, 0, 1);
}

StatusOr<std::vector<RankFindings>> GatherFindings(const TrainStep& step,
                                                   const StepReport& report,
                                                   const BatchSource& source,
                                                   const MicroFinding& micro) {
  return Gather(step,
                report,
                source,
                micro.local,
                micro.verdict,
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
      Json detail = Json::Object({{"rank", f.rank},
                                  {"tensor", t.tensor},
                                  {"nan", t.nan},
                                  {"inf", t.inf},
                                  {"first_element", t.first_element}});
      if (t.norm > 0) detail.Set("norm", t.norm);
      details.Append(std::move(detail));
    }
  }
  return Json::Object({{"ranks", std::move(ranks)},
                       {"tensors", std::move(tensors)},
                       {"samples", std::move(samples)},
                       {"sample_names", std::move(sample_names)},
                       {"found", std::move(details)}});
}

}  // namespace gyre::internal::inline train

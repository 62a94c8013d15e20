#include "train/cause_record.h"

#include <optional>
#include <utility>

#include "train/gather_texts.h"

namespace gyre {
namespace {

// Which sample of this rank's part of the batch the element belongs to;
// nothing where the first axis is not that of the samples.
std::optional<std::int64_t> SampleOf(const FirstCause& found,
                                     const SampleBatch& batch,
                                     int parts) {
  const Shape& shape = found.cause.shape;
  const auto each = static_cast<std::int64_t>(batch.sample_ids.size()) / parts;
  if (shape.rank() == 0 || each == 0 || shape[0] != each) return std::nullopt;
  const std::int64_t row = found.cause.element / (shape.elements() / each);
  return batch.sample_ids[found.micro_batch * each + row];
}

Json OperandJson(const CauseOperand& operand) {
  Json json = Json::Object({{"from", operand.maker}});
  if (operand.loc.line > 0) json.Set("line", operand.loc.ToString());
  if (operand.number.has_value()) json.Set("number", *operand.number);
  json.Set("least", operand.least)
      .Set("largest", operand.largest)
      .Set("bad", operand.bad);
  return json;
}

Json RankJson(const std::optional<FirstCause>& found,
              int rank,
              const SampleBatch& batch,
              const BatchSource& source,
              int parts) {
  Json json = Json::Object({{"rank", rank}, {"found", found.has_value()}});
  if (!found.has_value()) return json;
  const Cause& cause = found->cause;
  Json operands = Json::Array();
  for (const CauseOperand& operand : cause.operands) {
    operands.Append(OperandJson(operand));
  }
  std::string text = cause.Describe();
  json.Set("operation", cause.name)
      .Set("input", cause.is_input)
      .Set("received", cause.received)
      .Set("phase", Name(cause.phase));
  if (cause.loc.line > 0) json.Set("line", cause.loc.ToString());
  json.Set("value", cause.value)
      .Set("element", cause.element)
      .Set("shape", Json::ArrayOf(cause.shape.dims()))
      .Set("dtype", Cat(cause.dtype))
      .Set("bad", cause.bad)
      .Set("operands", std::move(operands))
      .Set("path", Json::ArrayOf(cause.path))
      .Set("reached", found->reached)
      .Set("others", cause.others);
  if (parts > 1) json.Set("micro_batch", found->micro_batch);
  if (const auto sample = SampleOf(*found, batch, parts); sample.has_value()) {
    const std::string name = source.SampleName(*sample);
    json.Set("sample", *sample).Set("sample_name", name);
    text += Cat(", sample ", name);
  }
  json.Set("text", text);
  return json;
}

bool MadeIt(const Json& entry) {
  const Json* received = entry.Find("received");
  return received != nullptr && !received->AsBool().value_or(true);
}

}  // namespace

StatusOr<Json> GatherCauses(TrainStep& step,
                            const StepReport& report,
                            const SampleBatch& batch,
                            const BatchSource& source) {
  GYRE_ASSIGN_OR_RETURN(const std::optional<FirstCause> found,
                        step.FindCause(batch));
  Communicator& world = step.mesh().world();
  const Json mine =
      RankJson(found, world.rank(), batch, source, step.micro_batches());
  GYRE_ASSIGN_OR_RETURN(const std::vector<std::string> texts,
                        GatherTexts(mine.Dump(), world, "first causes"));
  Json ranks = Json::Array();
  Json first;
  for (const std::string& text : texts) {
    GYRE_ASSIGN_OR_RETURN(Json entry, Json::Parse(text, "a rank's cause"));
    if (first.is_null() && MadeIt(entry)) first = entry;
    ranks.Append(std::move(entry));
  }
  return Json::Object({{"step", report.step},
                       {"reason", report.verdict.Describe(step.layout())},
                       {"first", std::move(first)},
                       {"ranks", std::move(ranks)}});
}

}  // namespace gyre

#include "gyre/train/records/cause_record.h"

#include <optional>
#include <utility>

#include "gyre/mesh/gather_texts.h"
#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {
namespace {

// Which sample of this rank's part of the batch the element belongs to, and
// where in it.
struct Place {
  std::int64_t sample = 0;
  Shape shape;
  std::int64_t element = 0;
};

// Nothing where the first axis is not that of the samples.
std::optional<Place> PlaceOf(const FirstCause& found,
                             const SampleBatch& batch,
                             int parts) {
  const Shape& shape = found.cause.shape;
  const auto each = static_cast<std::int64_t>(batch.sample_ids.size()) / parts;
  if (shape.rank() == 0 || each == 0 || shape[0] != each) return std::nullopt;
  const std::int64_t size = shape.elements() / each;
  const std::int64_t row = found.cause.element / size;
  Place place;
  place.sample = batch.sample_ids[found.micro_batch * each + row];
  place.shape = Shape(
      std::vector<std::int64_t>(shape.dims().begin() + 1, shape.dims().end()));
  place.element = found.cause.element % size;
  return place;
}

// "x" of "batch.x"; empty for what model and loss made.
std::string_view BatchTensor(const Cause& cause) {
  constexpr std::string_view kBatch = "batch.";
  const std::string_view name = cause.name;
  if (!cause.is_input || !name.starts_with(kBatch)) return "";
  return name.substr(kBatch.size());
}

// Adds the place to the entry; gives it as the end of a sentence.
std::string AddPlace(const Place& place,
                     const Cause& cause,
                     const BatchSource& source,
                     Json& json) {
  const std::string sample = source.SampleName(place.sample);
  json.Set("sample", place.sample).Set("sample_name", sample);
  std::string text = Cat(", sample ", sample);
  const std::string where = source.ElementName(
      place.sample, BatchTensor(cause), place.shape, place.element);
  if (where.empty()) return text;
  json.Set("where", where);
  return Cat(text, ", ", where);
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
      .Set("sent", cause.sent)
      .Set("harmed", cause.result >= 0)
      .Set("order", cause.order)
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
  if (const auto place = PlaceOf(*found, batch, parts); place.has_value()) {
    text += AddPlace(*place, cause, source, json);
  }
  json.Set("text", text);
  return json;
}

StatusOr<CauseMark> MarkOf(const Json& entry) {
  CauseMark mark;
  GYRE_ASSIGN_OR_RETURN(mark.found, entry.GetBool("found"));
  if (!mark.found) return mark;
  GYRE_ASSIGN_OR_RETURN(mark.received, entry.GetBool("received"));
  GYRE_ASSIGN_OR_RETURN(mark.sent, entry.GetBool("sent"));
  GYRE_ASSIGN_OR_RETURN(mark.harmed, entry.GetBool("harmed"));
  GYRE_ASSIGN_OR_RETURN(const std::int64_t order, entry.GetInt("order"));
  mark.order = static_cast<int>(order);
  if (entry.Find("micro_batch") == nullptr) return mark;
  GYRE_ASSIGN_OR_RETURN(const std::int64_t part, entry.GetInt("micro_batch"));
  mark.micro_batch = static_cast<int>(part);
  return mark;
}

// The entry that all look for. What nobody made before it was sent, the
// collective made.
StatusOr<Json> FirstOf(const std::vector<Json>& entries) {
  std::vector<CauseMark> marks;
  for (const Json& entry : entries) {
    GYRE_ASSIGN_OR_RETURN(const CauseMark mark, MarkOf(entry));
    marks.push_back(mark);
  }
  const std::optional<int> rank = FirstRank(marks);
  if (!rank.has_value()) return Json();
  Json first = entries[*rank];
  if (!marks[*rank].received) return first;
  GYRE_ASSIGN_OR_RETURN(const std::string text, first.GetString("text"));
  first.Set("text", Cat(text, ", though no rank had one before"));
  return first;
}

}  // namespace

StatusOr<Json> GatherCauses(TrainStep& step,
                            const StepReport& report,
                            const SampleBatch& batch,
                            const BatchSource& source) {
  GYRE_ASSIGN_OR_RETURN(const std::optional<FirstCause> found,
                        step.FindCause(batch));
  Communicator& world = step.mesh().world();
  const Json mine = RankJson(found,
                             world.rank(),
                             batch,
                             source,
                             step.program().traits().micro_batches);
  GYRE_ASSIGN_OR_RETURN(const std::vector<std::string> texts,
                        GatherTexts(mine.Dump(), world, "first causes"));
  std::vector<Json> entries;
  for (const std::string& text : texts) {
    GYRE_ASSIGN_OR_RETURN(Json entry, Json::Parse(text, "a rank's cause"));
    entries.push_back(std::move(entry));
  }
  GYRE_ASSIGN_OR_RETURN(Json first, FirstOf(entries));
  Json ranks = Json::Array();
  for (Json& entry : entries) ranks.Append(std::move(entry));
  return Json::Object(
      {{"step", report.step},
       {"reason", report.verdict.Describe(step.state().layout())},
       {"first", std::move(first)},
       {"ranks", std::move(ranks)}});
}

}  // namespace gyre::internal::inline train

#include "gyre/monitor/spikes/trace_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "gyre/core/finite.h"
#include "gyre/core/io/file.h"
#include "gyre/monitor/spikes/trace_record.h"

namespace gyre::internal::inline monitor {
namespace {

// The usual name first, then those of other frameworks.
constexpr const char* kStepNames[] = {
    "step", "global_step", "_step", "iteration", "iter"};
constexpr const char* kLossNames[] = {
    "loss", "train_loss", "train/loss", "lm loss", "training_loss"};
constexpr const char* kNormNames[] = {
    "grad_norm", "train/grad_norm", "gradient_norm", "gnorm"};
constexpr const char* kEvalNames[] = {
    "eval_loss", "eval/loss", "val_loss", "val/loss", "valid_loss"};
constexpr const char* kRateNames[] = {
    "lr", "learning_rate", "train/learning_rate", "learning-rate"};

struct Names {
  std::string step;
  std::string loss;
  std::string grad_norm;
  std::string eval_loss;
  std::string lr;
};

std::string Listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += (i > 0 ? ", " : "") + names[i];
  }
  return names.size() > kMost ? text + ", ..." : text;
}

StatusOr<std::string> Choose(const std::string& given,
                             std::span<const char* const> usual,
                             bool needed,
                             const std::string& what,
                             TraceRecords& parsed) {
  const auto& names = parsed.names;
  const auto has = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (!given.empty() && has(given)) return given;
  if (given.empty()) {
    for (const char* name : usual) {
      if (!has(name)) continue;
      if (name != usual[0]) {
        parsed.notes.push_back(Cat("took \"", name, "\" as ", usual[0]));
      }
      return std::string(name);
    }
    if (!needed) return std::string();
  }
  return DataError(what,
                   ": no column \"",
                   given.empty() ? usual[0] : given,
                   "\"; there are: ",
                   Listed(names),
                   ". Name it with a flag, see gyre spikes --help");
}

// The field's number; an error if it holds some other text.
StatusOr<std::optional<double>> NumberOf(const TraceRecord& record,
                                         const std::string& name,
                                         const std::string& what) {
  const TraceField* field = name.empty() ? nullptr : record.Find(name);
  if (field == nullptr) return std::optional<double>();
  if (!field->is_number) {
    return DataError(what,
                     ":",
                     record.line,
                     ": ",
                     name,
                     " \"",
                     field->text.substr(0, 40),
                     "\" is no number");
  }
  return field->number;
}

StatusOr<std::int64_t> StepOf(const TraceRecord& record,
                              const std::string& name,
                              const std::string& what) {
  GYRE_ASSIGN_OR_RETURN(const auto step, NumberOf(record, name, what));
  const bool whole = step.has_value() && IsFinite(*step) &&
                     std::floor(*step) == *step && std::abs(*step) < 1e15;
  if (!whole) {
    return DataError(
        what, ":", record.line, ": \"", name, "\" must be a whole number");
  }
  return static_cast<std::int64_t>(*step);
}

StatusOr<TraceRow> RowOf(const TraceRecord& record,
                         const Names& names,
                         const std::string& what) {
  TraceRow row;
  GYRE_ASSIGN_OR_RETURN(row.step, StepOf(record, names.step, what));
  GYRE_ASSIGN_OR_RETURN(row.loss, NumberOf(record, names.loss, what));
  GYRE_ASSIGN_OR_RETURN(row.grad_norm, NumberOf(record, names.grad_norm, what));
  GYRE_ASSIGN_OR_RETURN(row.eval_loss, NumberOf(record, names.eval_loss, what));
  GYRE_ASSIGN_OR_RETURN(row.lr, NumberOf(record, names.lr, what));
  const TraceField* loss = record.Find(names.loss);
  if (loss != nullptr && loss->null && !row.eval_loss.has_value()) {
    row.loss = std::numeric_limits<double>::quiet_NaN();
  }
  // Gyre's own records say whether the step changed anything.
  const TraceField* applied = record.Find("applied");
  row.accepted = applied == nullptr || applied->text != "false";
  return row;
}

void FillIn(std::optional<double>& to, const std::optional<double>& from) {
  if (!to.has_value()) to = from;
}

// Some logs begin or end with a row of another kind.
bool IsOfNoStep(const TraceRecord& record, const Names& names) {
  const auto absent = [&](const std::string& name) {
    const TraceField* field = record.Find(name);
    return field == nullptr || (field->is_number && !field->number.has_value());
  };
  return absent(names.step) && absent(names.loss) && absent(names.eval_loss);
}

bool Same(const std::optional<double>& a, const std::optional<double>& b) {
  if (a.has_value() != b.has_value()) return false;
  return !a.has_value() || *a == *b || (std::isnan(*a) && std::isnan(*b));
}

// False: it is another step, to be a row of its own.
bool MergedInto(TraceRow& last, const TraceRow& row) {
  if (last.step != row.step) return false;
  const bool adds = !row.loss.has_value() || !last.loss.has_value();
  if (!adds &&
      !(Same(last.loss, row.loss) && Same(last.grad_norm, row.grad_norm))) {
    return false;
  }
  FillIn(last.loss, row.loss);
  FillIn(last.grad_norm, row.grad_norm);
  FillIn(last.eval_loss, row.eval_loss);
  FillIn(last.lr, row.lr);
  return true;
}

// An evaluation that is NaN in most rows is one that was not made.
void DropEmptyEvaluations(std::vector<TraceRow>& rows) {
  const auto is_nan = [](const TraceRow& row) {
    return row.eval_loss.has_value() && std::isnan(*row.eval_loss);
  };
  const auto count = std::count_if(rows.begin(), rows.end(), is_nan);
  if (2 * count <= static_cast<std::ptrdiff_t>(rows.size())) return;
  for (TraceRow& row : rows) {
    if (is_nan(row)) row.eval_loss.reset();
  }
}

void AddNotes(std::size_t restarts, std::size_t no_loss, Trace& trace) {
  if (restarts > 0) {
    trace.notes.push_back(
        Cat("the log goes back to an earlier step ", restarts, " time(s)"));
  }
  if (no_loss > 0) trace.notes.push_back(Cat(no_loss, " row(s) have no loss"));
}

}  // namespace

StatusOr<Trace> ParseTrace(std::string_view text,
                           const std::string& what,
                           const TraceColumns& columns) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    return DataError(what, " is empty: no steps to look at");
  }
  if (text.find('\0') != std::string_view::npos) {
    return DataError(what, " is binary: expected JSON lines or CSV");
  }
  const bool json = text[first] == '{' || text[first] == '[';
  GYRE_ASSIGN_OR_RETURN(
      TraceRecords parsed,
      json ? ParseJsonTrace(text, what) : ParseCsvTrace(text, what));
  Names names;
  GYRE_ASSIGN_OR_RETURN(names.step,
                        Choose(columns.step, kStepNames, true, what, parsed));
  GYRE_ASSIGN_OR_RETURN(names.loss,
                        Choose(columns.loss, kLossNames, true, what, parsed));
  GYRE_ASSIGN_OR_RETURN(
      names.grad_norm,
      Choose(columns.grad_norm, kNormNames, false, what, parsed));
  GYRE_ASSIGN_OR_RETURN(
      names.eval_loss,
      Choose(columns.eval_loss, kEvalNames, false, what, parsed));
  GYRE_ASSIGN_OR_RETURN(names.lr,
                        Choose(columns.lr, kRateNames, false, what, parsed));
  Trace trace;
  std::size_t restarts = 0;
  std::size_t no_loss = 0;
  for (const TraceRecord& record : parsed.records) {
    if (IsOfNoStep(record, names)) continue;
    GYRE_ASSIGN_OR_RETURN(const TraceRow row, RowOf(record, names, what));
    if (!trace.rows.empty() && MergedInto(trace.rows.back(), row)) continue;
    if (!trace.rows.empty() && row.step < trace.rows.back().step) ++restarts;
    trace.rows.push_back(row);
  }
  for (const TraceRow& row : trace.rows) no_loss += row.loss ? 0 : 1;
  if (no_loss == trace.rows.size()) {
    return DataError(what, ": no row has a loss");
  }
  DropEmptyEvaluations(trace.rows);
  trace.notes = std::move(parsed.notes);
  AddNotes(restarts, no_loss, trace);
  return trace;
}

StatusOr<Trace> ReadTrace(const std::string& path,
                          const TraceColumns& columns) {
  const std::string file =
      DirectoryExists(path) ? path + "/metrics.jsonl" : path;
  GYRE_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
  return ParseTrace(text, file, columns);
}

}  // namespace gyre::internal::inline monitor

#include "apps/gyre/replay/replay_report.h"

#include <algorithm>
#include <utility>

#include "gyre/monitor/number_text.h"

namespace gyre::internal::inline apps {
namespace {

std::string TextOf(const Json& json, std::string_view key) {
  const Json* value = json.Find(key);
  if (value == nullptr) return "?";
  if (value->is_string()) return *value->AsString();
  const auto number = value->AsDouble();
  return number.ok() ? NumberText(*number) : value->Dump();
}

const Json& MemberOf(const Json& json, std::string_view key) {
  static const Json none;
  const Json* member = json.Find(key);
  return member == nullptr ? none : *member;
}

bool IsBad(const Json& outcome) {
  return MemberOf(outcome, "result").GetBool("bad").value_or(false);
}

std::string Padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

// Of an error with output of the program in it: what the program said was
// wrong, or else the first line.
std::string InOneLine(const std::string& text) {
  const std::size_t said = text.find("\nerror: ");
  const std::size_t begin = said == std::string::npos ? 0 : said + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

// The changes without which the number is bad.
std::vector<std::string> Cures(const ReplayReport& report) {
  std::vector<std::string> names;
  if (!report.rows[0].outcome.ok() || !IsBad(*report.rows[0].outcome)) {
    return names;
  }
  for (std::size_t i = 1; i < report.rows.size(); ++i) {
    const ReplayRow& row = report.rows[i];
    if (row.outcome.ok() && !IsBad(*row.outcome)) {
      names.push_back(row.change.name);
    }
  }
  return names;
}

std::string RankLine(const Json& entry,
                     int rank,
                     const std::vector<ResultDifference>& differences) {
  std::string line = Cat("  rank ", rank, ": ");
  std::string changed;
  for (const ResultDifference& d : differences) {
    if (d.rank != rank) continue;
    changed +=
        Cat(changed.empty() ? "" : "; ", d.what, " was ", d.a, " and is ", d.b);
  }
  line += changed.empty() ? "the same" : "DIFFERS: " + changed;
  return Cat(line,
             "  (loss ",
             TextOf(entry, "loss"),
             ", own gradient ",
             TextOf(entry, "local_gradient"),
             ", reduced ",
             TextOf(entry, "reduced_gradient"),
             ")\n");
}

std::string PlainText(const ReplayReport& report, const Evidence& evidence) {
  const ReplayRow& plain = report.rows[0];
  if (!plain.outcome.ok()) {
    return Cat("replay: failed: ", Message(plain.outcome.status()), "\n");
  }
  std::string text =
      report.same()
          ? Cat("replay: the same bits on all ", evidence.world, " ranks\n")
          : std::string("replay: NOT the same bits\n");
  for (const ResultDifference& d : report.differences) {
    if (d.rank >= 0) continue;
    text += Cat("  verdict: ", d.what, " was ", d.a, " and is ", d.b, "\n");
  }
  const Json& ranks = MemberOf(MemberOf(*plain.outcome, "result"), "ranks");
  for (std::size_t r = 0; r < ranks.elements().size(); ++r) {
    text +=
        RankLine(ranks.elements()[r], static_cast<int>(r), report.differences);
  }
  return text;
}

std::string TableText(const ReplayReport& report) {
  std::size_t width = 6;
  for (const ReplayRow& row : report.rows) {
    width = std::max(width, row.change.name.size());
  }
  std::string text = Cat("\n",
                         Padded("change", width),
                         "  bad numbers?  norm         first cause\n");
  for (const ReplayRow& row : report.rows) {
    text += Padded(row.change.name, width) + "  ";
    if (!row.outcome.ok()) {
      text += Cat(Padded("does not run", 27),
                  InOneLine(Message(row.outcome.status())),
                  "\n");
      continue;
    }
    const std::string cause = FirstCauseOf(*row.outcome);
    text += Cat(Padded(IsBad(*row.outcome) ? "yes" : "no", 14),
                Padded(TextOf(MemberOf(*row.outcome, "result"), "norm"), 13),
                cause.empty() ? "-" : cause,
                "\n");
  }
  return text;
}

std::string ConclusionText(const ReplayReport& report) {
  if (!report.rows[0].outcome.ok() || !IsBad(*report.rows[0].outcome)) {
    return "\nno bad number in the replay\n";
  }
  if (report.rows.size() == 1) return "";
  const std::vector<std::string> cures = Cures(report);
  if (cures.empty()) {
    return "\nthe bad number stays whatever is changed\n";
  }
  std::string list;
  for (const std::string& name : cures) {
    list += (list.empty() ? "" : ", ") + name;
  }
  return Cat("\nthe bad number disappears with: ", list, "\n");
}

}  // namespace

std::string FirstCauseOf(const Json& outcome) {
  const Json& first = MemberOf(MemberOf(outcome, "cause"), "first");
  if (!first.is_object()) return "";
  return Cat("rank ", TextOf(first, "rank"), ": ", TextOf(first, "text"));
}

Json ToJson(const ReplayReport& report, const Evidence& evidence) {
  Json differences = Json::Array();
  for (const ResultDifference& d : report.differences) {
    Json one = Json::Object();
    if (d.rank >= 0) one.Set("rank", d.rank);
    one.Set("what", d.what).Set("original", d.a).Set("replay", d.b);
    differences.Append(std::move(one));
  }
  Json changes = Json::Array();
  for (const ReplayRow& row : report.rows) {
    Json one =
        Json::Object({{"change", row.change.name}, {"ran", row.outcome.ok()}});
    if (!row.outcome.ok()) {
      one.Set("error", Message(row.outcome.status()));
    } else {
      const Json& result = MemberOf(*row.outcome, "result");
      one.Set("bad", IsBad(*row.outcome))
          .Set("norm", MemberOf(result, "norm"))
          .Set("loss", MemberOf(result, "loss"))
          .Set("first_cause", FirstCauseOf(*row.outcome))
          .Set("result", result)
          .Set("cause", MemberOf(*row.outcome, "cause"));
    }
    changes.Append(std::move(one));
  }
  return Json::Object({{"evidence", evidence.folder},
                       {"step", evidence.step},
                       {"world", evidence.world},
                       {"same", report.rows[0].outcome.ok() && report.same()},
                       {"differences", std::move(differences)},
                       {"original", evidence.result},
                       {"changes", std::move(changes)},
                       {"removed_by", Json::ArrayOf(Cures(report))},
                       {"notes", Json::ArrayOf(report.notes)}});
}

std::string InWords(const ReplayReport& report, const Evidence& evidence) {
  std::string text = Cat("step ",
                         evidence.step,
                         ", ",
                         evidence.world,
                         " rank(s): ",
                         TextOf(MemberOf(evidence.result, "verdict"), "text"),
                         "\n");
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  text += PlainText(report, evidence);
  if (report.rows.size() > 1) text += TableText(report);
  return text + ConclusionText(report);
}

}  // namespace gyre::internal::inline apps

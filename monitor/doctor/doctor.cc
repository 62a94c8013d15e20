#include "gyre/monitor/doctor/doctor.h"

#include <algorithm>

#include "gyre/core/status.h"

namespace gyre::internal::inline monitor {
namespace {

std::vector<std::string> UnknownOf(const Facts& f) {
  std::vector<std::string> unknown;
  if (f.causes.empty() && !f.bad.empty()) {
    unknown.push_back(
        "which operation made the first bad number: there is no cause.json");
  }
  for (const Spike& spike : f.spikes) {
    if (spike.cause != "unknown") continue;
    unknown.push_back(Cat("what caused the ",
                          NameOf(spike.spike_class),
                          " spike at step ",
                          spike.first_step));
  }
  if (!f.hashes_equal.has_value() && f.world > 1) {
    unknown.push_back("whether the ranks' parameters ended equal");
  }
  if (f.timing.empty() && f.world > 1) {
    unknown.push_back("who waits for whom: the ranks left no records");
  }
  if (f.machine == 0) {
    unknown.push_back(
        "what the machines did: no event of memory, signals or throttling "
        "was recorded");
  }
  return unknown;
}

void AddList(std::string_view head,
             const std::vector<std::string>& sentences,
             std::string& text) {
  for (const std::string& sentence : sentences) {
    text += Cat("    ", head, sentence, "\n");
  }
}

}  // namespace

std::string_view Family::standing() const {
  if (!supports.empty()) return "supported";
  return excludes.empty() ? "open" : "excluded";
}

Diagnosis Diagnose(const Facts& facts) {
  Diagnosis diagnosis;
  diagnosis.symptoms = SymptomsOf(facts);
  diagnosis.families = FamiliesOf(facts);
  const auto rank = [](const Family& family) {
    return family.standing() == "supported" ? 0
           : family.standing() == "open"    ? 1
                                            : 2;
  };
  std::stable_sort(
      diagnosis.families.begin(),
      diagnosis.families.end(),
      [&](const Family& a, const Family& b) { return rank(a) < rank(b); });
  diagnosis.unknown = UnknownOf(facts);
  return diagnosis;
}

std::string ToText(const Diagnosis& diagnosis) {
  std::string text = "What was seen\n";
  for (const Symptom& s : diagnosis.symptoms) {
    text += Cat("  ", s.what, "\n    -> ", s.route, "\n");
  }
  text += "\nWhat may have caused it\n";
  for (const Family& family : diagnosis.families) {
    text += Cat("  ", family.name, ": ", family.standing(), "\n");
    AddList("for:     ", family.supports, text);
    AddList("against: ", family.excludes, text);
    AddList("try:     ", family.next, text);
  }
  text += "\nWhat is not known\n";
  for (const std::string& sentence : diagnosis.unknown) {
    text += Cat("  ", sentence, "\n");
  }
  return text;
}

Json ToJson(const Diagnosis& diagnosis) {
  Json symptoms = Json::Array();
  for (const Symptom& s : diagnosis.symptoms) {
    symptoms.Append(
        Json::Object({{"name", s.name}, {"what", s.what}, {"route", s.route}}));
  }
  Json families = Json::Array();
  for (const Family& family : diagnosis.families) {
    families.Append(Json::Object({{"family", family.name},
                                  {"standing", family.standing()},
                                  {"supports", Json::ArrayOf(family.supports)},
                                  {"excludes", Json::ArrayOf(family.excludes)},
                                  {"next", Json::ArrayOf(family.next)}}));
  }
  return Json::Object({{"symptoms", std::move(symptoms)},
                       {"families", std::move(families)},
                       {"unknown", Json::ArrayOf(diagnosis.unknown)}});
}

}  // namespace gyre::internal::inline monitor

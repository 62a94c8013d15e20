// What may be wrong with a run, by family of causes.
//
//   const Diagnosis diagnosis = Diagnose(FactsOf(records));
//   Print(ToText(diagnosis));
//
// First the symptom is routed: a run that never made a step has another
// problem than one whose curve is fine and whose model is bad. Then, for each
// family (data, numerics, optimization, distributed state, software,
// hardware): what the records support, what they exclude, and what to try
// next, as commands that change one thing at a time. What nothing speaks for
// or against stays open; the doctor does not guess.

#ifndef GYRE_MONITOR_DOCTOR_DOCTOR_H_
#define GYRE_MONITOR_DOCTOR_DOCTOR_H_

#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/monitor/doctor/facts.h"

namespace gyre::internal::inline monitor {

struct Family {
  std::string name;
  std::vector<std::string> supports;
  std::vector<std::string> excludes;
  std::vector<std::string> next;  // commands
  // "supported" beats "excluded": one family may hold several causes.
  std::string_view standing() const;
};

struct Symptom {
  std::string name;   // "late_rank"
  std::string what;   // what was seen
  std::string route;  // where it points
};

struct Diagnosis {
  std::vector<Symptom> symptoms;  // the gravest first; never empty
  std::vector<Family> families;   // the supported ones first
  std::vector<std::string> unknown;
};

Diagnosis Diagnose(const Facts& facts);

std::string ToText(const Diagnosis& diagnosis);
Json ToJson(const Diagnosis& diagnosis);

// The parts of Diagnose.
std::vector<Symptom> SymptomsOf(const Facts& facts);
std::vector<Family> FamiliesOf(const Facts& facts);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_DOCTOR_DOCTOR_H_

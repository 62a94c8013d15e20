// The result of a run, for a person.

#ifndef GYRE_APPS_WEATHER_LOSS_TABLE_H_
#define GYRE_APPS_WEATHER_LOSS_TABLE_H_

#include <string>

#include "apps/weather_loss/skill.h"
#include "gyre/core/io/json.h"

namespace gyre::weather {

// `summary` is what stands in summary.json.
std::string SummaryTable(const Json& summary, const SkillReport& skill);

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_TABLE_H_

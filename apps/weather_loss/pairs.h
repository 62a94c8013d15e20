// Samples: a field and the next one. A sample's id is the step of the first.
//
//   const PairSplit split = SplitPairs(fields, kTrainSteps);
//   SampleName(fields, split.train[0]);   // "t=000 (1996-01-05T00Z)"
//
// A pair counts when all six channels are present at both times; the corners
// that are always missing do no harm. No pair spans the two parts. The storm
// data has 42 pairs to train and 15 to test.

#ifndef GYRE_APPS_WEATHER_LOSS_PAIRS_H_
#define GYRE_APPS_WEATHER_LOSS_PAIRS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "apps/weather_loss/fields.h"

namespace gyre::weather {

struct PairSplit {
  std::vector<std::int64_t> train;  // both times before `train_steps`
  std::vector<std::int64_t> test;   // both from there on, or in fields' period
};

PairSplit SplitPairs(const Fields& fields, std::int64_t train_steps);

std::string SampleName(const Fields& fields, std::int64_t id);

}  // namespace gyre::weather

#endif  // GYRE_APPS_WEATHER_LOSS_PAIRS_H_

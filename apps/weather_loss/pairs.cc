#include "apps/weather_loss/pairs.h"

#include <cstdio>

namespace gyre::weather {

using namespace internal;

namespace {

bool AllPresent(const Fields& fields, std::int64_t t) {
  for (int c = 0; c < kChannels; ++c) {
    if (!fields.Present(t, c)) return false;
  }
  return true;
}

}  // namespace

PairSplit SplitPairs(const Fields& fields, std::int64_t train_steps) {
  PairSplit split;
  const bool periods = fields.test_end > 0;
  const std::int64_t test_begin = periods ? fields.test_begin : train_steps;
  const std::int64_t test_end = periods ? fields.test_end : fields.steps();
  for (std::int64_t t = 0; t + 1 < fields.steps(); ++t) {
    if (!AllPresent(fields, t) || !AllPresent(fields, t + 1)) continue;
    if (t + 1 < train_steps) split.train.push_back(t);
    if (t >= test_begin && t + 1 < test_end) split.test.push_back(t);
  }
  return split;
}

std::string SampleName(const Fields& fields, std::int64_t id) {
  char number[32];
  std::snprintf(number, sizeof number, "t=%03lld", static_cast<long long>(id));
  if (id < 0 || id >= fields.steps()) return number;
  return Cat(number, " (", fields.times[static_cast<std::size_t>(id)], ")");
}

}  // namespace gyre::weather

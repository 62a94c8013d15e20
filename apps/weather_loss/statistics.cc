#include "apps/weather_loss/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gyre::weather {

using namespace internal;

namespace {

// A spread below this part of the largest value is rounding, not weather.
constexpr double kConstant = 1e-6;

struct Moments {
  double mean = 0;
  double std = 0;
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  std::int64_t count = 0;

  double largest() const { return std::max(std::abs(min), std::abs(max)); }
  bool constant(double scale) const { return std <= kConstant * scale; }
};

// `visit(f)` calls f(x) for each x, the same ones each time. Two passes: the
// difference of large squares would lose the spread of a pressure.
template <class Visit>
Moments MomentsOf(const Visit& visit) {
  Moments m;
  double sum = 0;
  visit([&](double x) {
    sum += x;
    m.min = std::min(m.min, x);
    m.max = std::max(m.max, x);
    ++m.count;
  });
  if (m.count == 0) return m;
  m.mean = sum / static_cast<double>(m.count);
  double squares = 0;
  visit([&](double x) { squares += (x - m.mean) * (x - m.mean); });
  m.std = std::sqrt(squares / static_cast<double>(m.count));
  return m;
}

Moments ValueMoments(const Fields& fields, int channel, std::int64_t steps) {
  return MomentsOf([&](const auto& take) {
    for (std::int64_t t = 0; t < steps; ++t) {
      const auto values = fields.Values(t, channel);
      const auto mask = fields.Mask(t, channel);
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (mask[i] == 1) take(static_cast<double>(values[i]));
      }
    }
  });
}

Moments TendencyMoments(const Fields& fields, int channel, std::int64_t steps) {
  return MomentsOf([&](const auto& take) {
    for (std::int64_t t = 0; t + 1 < steps; ++t) {
      const auto now = fields.Values(t, channel);
      const auto next = fields.Values(t + 1, channel);
      const auto valid_now = fields.Mask(t, channel);
      const auto valid_next = fields.Mask(t + 1, channel);
      for (std::size_t i = 0; i < now.size(); ++i) {
        if (valid_now[i] == 1 && valid_next[i] == 1) {
          take(static_cast<double>(next[i]) - static_cast<double>(now[i]));
        }
      }
    }
  });
}

}  // namespace

StatusOr<Statistics> ComputeStatistics(const Fields& fields,
                                       std::int64_t train_steps) {
  if (train_steps < 2 || fields.steps() < train_steps) {
    return DataError("statistics need 2 training steps or more: expected ",
                     train_steps,
                     " of them, the data has ",
                     fields.steps(),
                     " steps");
  }
  Statistics statistics;
  statistics.train_steps = train_steps;
  for (int c = 0; c < kChannels; ++c) {
    const Moments value = ValueMoments(fields, c, train_steps);
    const Moments tendency = TendencyMoments(fields, c, train_steps);
    if (value.count == 0 || tendency.count == 0) {
      return DataError("channel ",
                       kChannelNames[c],
                       " has no valid ",
                       value.count == 0 ? "value" : "pair of values",
                       " in the ",
                       train_steps,
                       " training steps of ",
                       fields.source,
                       ": use other data");
    }
    ChannelStatistics& out = statistics.channels[c];
    out.mean = value.mean;
    out.min = value.min;
    out.max = value.max;
    out.count = value.count;
    out.tendency_count = tendency.count;
    out.std = value.std;
    out.std_tendency = tendency.std;
    if (value.constant(value.largest())) {
      out.std = 1;
      statistics.warnings.push_back(
          Cat("channel ",
              kChannelNames[c],
              " is constant (",
              value.mean,
              ") in the training steps: it is scaled by 1"));
    }
    if (tendency.constant(value.largest())) {
      out.std_tendency = 1;
      statistics.warnings.push_back(
          Cat("channel ",
              kChannelNames[c],
              " changes evenly in the training steps: its tendency is scaled "
              "by 1"));
    }
  }
  return statistics;
}

Json ToJson(const Statistics& statistics) {
  Json channels = Json::Object();
  for (int c = 0; c < kChannels; ++c) {
    const ChannelStatistics& s = statistics.channels[c];
    channels.Set(kChannelNames[c],
                 Json::Object({{"unit", kChannelUnits[c]},
                               {"mean", s.mean},
                               {"std", s.std},
                               {"std_tendency", s.std_tendency},
                               {"min", s.min},
                               {"max", s.max},
                               {"count", s.count},
                               {"tendency_count", s.tendency_count}}));
  }
  return Json::Object({{"train_steps", statistics.train_steps},
                       {"channels", std::move(channels)},
                       {"warnings", Json::ArrayOf(statistics.warnings)}});
}

}  // namespace gyre::weather

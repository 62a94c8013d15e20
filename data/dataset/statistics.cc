#include "gyre/data/dataset/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "gyre/core/hash.h"

namespace gyre {

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

// One channel of (time, channel, lat, lon).
class ChannelView {
 public:
  ChannelView(const Tensor& values, const Tensor& mask, std::int64_t channel)
      : values_(values.data<float>()),
        mask_(mask.data<std::uint8_t>()),
        cells_(values.shape()[2] * values.shape()[3]),
        channels_(values.shape()[1]),
        channel_(channel) {}

  std::span<const float> Values(std::int64_t t) const {
    return values_.subspan(Offset(t), static_cast<std::size_t>(cells_));
  }
  std::span<const std::uint8_t> Mask(std::int64_t t) const {
    return mask_.subspan(Offset(t), static_cast<std::size_t>(cells_));
  }

 private:
  std::size_t Offset(std::int64_t t) const {
    return static_cast<std::size_t>((t * channels_ + channel_) * cells_);
  }

  std::span<const float> values_;
  std::span<const std::uint8_t> mask_;
  std::int64_t cells_;
  std::int64_t channels_;
  std::int64_t channel_;
};

Moments ValueMoments(const ChannelView& channel, const TimeSpan& span) {
  return MomentsOf([&](const auto& take) {
    for (std::int64_t t = span.begin; t < span.end; ++t) {
      const auto values = channel.Values(t);
      const auto mask = channel.Mask(t);
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (mask[i] == 1) take(static_cast<double>(values[i]));
      }
    }
  });
}

Moments TendencyMoments(const ChannelView& channel, const TimeSpan& span) {
  return MomentsOf([&](const auto& take) {
    for (std::int64_t t = span.begin; t + 1 < span.end; ++t) {
      const auto now = channel.Values(t);
      const auto next = channel.Values(t + 1);
      const auto valid_now = channel.Mask(t);
      const auto valid_next = channel.Mask(t + 1);
      for (std::size_t i = 0; i < now.size(); ++i) {
        if (valid_now[i] == 1 && valid_next[i] == 1) {
          take(static_cast<double>(next[i]) - static_cast<double>(now[i]));
        }
      }
    }
  });
}

}  // namespace

StatusOr<std::vector<ChannelStatistics>> ComputeChannelStatistics(
    const Tensor& values,
    const Tensor& mask,
    const std::vector<std::string>& names,
    const TimeSpan& span,
    std::vector<std::string>* warnings) {
  std::vector<ChannelStatistics> result;
  for (std::size_t c = 0; c < names.size(); ++c) {
    const ChannelView channel(values, mask, static_cast<std::int64_t>(c));
    const Moments value = ValueMoments(channel, span);
    const Moments tendency = TendencyMoments(channel, span);
    if (value.count == 0 || tendency.count == 0) {
      return DataError("channel ",
                       names[c],
                       " has no valid ",
                       value.count == 0 ? "value" : "pair of values",
                       " in the ",
                       span.size(),
                       " training steps: use other data");
    }
    ChannelStatistics out = {.mean = value.mean,
                             .std = value.std,
                             .std_tendency = tendency.std,
                             .min = value.min,
                             .max = value.max,
                             .count = value.count,
                             .tendency_count = tendency.count};
    if (value.constant(value.largest())) {
      out.std = 1;
      warnings->push_back(Cat("channel ",
                              names[c],
                              " is constant (",
                              value.mean,
                              ") in the training steps: it is scaled by 1"));
    }
    if (tendency.constant(value.largest())) {
      out.std_tendency = 1;
      warnings->push_back(Cat("channel ",
                              names[c],
                              " changes evenly in the training steps: its "
                              "tendency is scaled by 1"));
    }
    result.push_back(out);
  }
  return result;
}

Json ToJson(const ChannelStatistics& s, std::string_view unit) {
  return Json::Object({{"unit", unit},
                       {"mean", s.mean},
                       {"std", s.std},
                       {"std_tendency", s.std_tendency},
                       {"min", s.min},
                       {"max", s.max},
                       {"count", s.count},
                       {"tendency_count", s.tendency_count}});
}

std::uint64_t TrainingHash(const GriddedData& data) {
  std::uint64_t hash = 0;
  const auto add = [&hash](const auto& numbers) {
    hash = Hash64(numbers.data(), numbers.size() * sizeof(numbers[0]), hash);
  };
  const auto frame = static_cast<std::size_t>(data.values.shape().elements()) /
                     data.seconds.size();
  const auto begin = static_cast<std::size_t>(data.train.begin);
  const auto size = static_cast<std::size_t>(data.train.size());
  add(data.values.data<float>().subspan(begin * frame, size * frame));
  add(data.mask.data<std::uint8_t>().subspan(begin * frame, size * frame));
  add(std::span(data.seconds).subspan(begin, size));
  add(data.lat);
  add(data.lon);
  for (std::size_t c = 0; c < data.channels.size(); ++c) {
    hash = Hash64(data.channels[c] + " " + data.units[c] + "\n", hash);
  }
  return hash;
}

StatusOr<Json> DatasetStatistics(const GriddedData& data,
                                 std::vector<std::string>* warnings) {
  GYRE_ASSIGN_OR_RETURN(
      const std::vector<ChannelStatistics> statistics,
      ComputeChannelStatistics(
          data.values, data.mask, data.channels, data.train, warnings));
  Json channels = Json::Object();
  for (std::size_t c = 0; c < statistics.size(); ++c) {
    channels.Set(data.channels[c], ToJson(statistics[c], data.units[c]));
  }
  const auto time = [&](std::int64_t t) {
    return IsoTime(data.calendar, data.seconds[static_cast<std::size_t>(t)]);
  };
  return Json::Object(
      {{"data", HexHash(TrainingHash(data))},
       {"train",
        Json::Array({time(data.train.begin), time(data.train.end - 1)})},
       {"channels", std::move(channels)}});
}

}  // namespace gyre

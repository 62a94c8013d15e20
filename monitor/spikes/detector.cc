#include "gyre/monitor/spikes/detector.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gyre/core/finite.h"
#include "gyre/monitor/spikes/robust.h"

namespace gyre::internal::inline monitor {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kRecent = 32;  // for the level of the last steps
constexpr std::size_t kCalmSteps =
    8;  // steps in the band that end an excursion
constexpr double kBand = 2.5;
constexpr double kElevated = 2;  // of a step that led up to an alarm
constexpr std::size_t kRemembered = 64;

constexpr double kSteep = 8;      // scales that it falls from half to half
constexpr double kTopInBand = 9;  // of a single one of those steps

Status ReadNumbers(const Json& json,
                   std::string_view key,
                   std::deque<double>& numbers) {
  const Json* array = json.Find(key);
  if (array == nullptr || !array->is_array()) {
    return DataError("\"", key, "\" must be a list of numbers");
  }
  for (const Json& element : array->elements()) {
    GYRE_ASSIGN_OR_RETURN(const double number, element.AsDouble());
    if (!IsFinite(number)) return DataError("\"", key, "\" is not finite");
    numbers.push_back(number);
  }
  return OkStatus();
}

std::vector<double> Copy(const std::deque<double>& values, std::size_t first) {
  return {values.begin() + first, values.end()};
}

using Fitting = SpikeDetector::Fitting;

// A line through the medians of two halves.
struct Line {
  double older = 0;
  double newer = 0;
  double end = 0;    // after the last value
  double mad = 0;    // about the line
  double scale = 0;  // by the differences of neighbours, which no trend moves
};

// Of the values from `first` on, whose halves have these medians.
Line FitLine(const std::deque<double>& all,
             std::size_t first,
             double older,
             double newer,
             Fitting& fitting) {
  const std::size_t n = all.size() - first;
  Line line;
  line.older = older;
  line.newer = newer;
  const double slope = (line.newer - line.older) / (n / 2.0);
  const double middle = (line.older + line.newer) / 2;
  line.end = middle + slope * n / 2;
  std::vector<double>& rest = fitting.rest;
  rest.assign(all.begin() + first, all.end());
  for (std::size_t i = 0; i < n; ++i) {
    rest[i] = rest[i] - middle - slope * (i - (n - 1) / 2.0);
  }
  std::vector<double>& steps = fitting.steps;
  steps.resize(n - 1);
  for (std::size_t i = 1; i < n; ++i) steps[i - 1] = rest[i] - rest[i - 1];
  fitting.step_guess =
      MedianMagnitude(steps, fitting.step_guess, fitting.scratch);
  line.scale = kMadToSigma * fitting.step_guess / std::sqrt(2.0);
  line.mad = MedianMagnitude(rest, fitting.mad_guess, fitting.scratch);
  fitting.mad_guess = line.mad;
  return line;
}

Line FitShorter(const std::deque<double>& all,
                std::size_t first,
                Fitting& fitting) {
  const auto half = all.begin() + first + (all.size() - first) / 2;
  return FitLine(all,
                 first,
                 MedianOf({all.begin() + first, half}),
                 MedianOf({half, all.end()}),
                 fitting);
}

}  // namespace

SpikeDetector::SpikeDetector(const DetectorOptions& options)
    : options_(options), window_(options.window, kRecent) {}

// A scale that is not zero. Where more than half of the numbers are equal,
// the MAD is zero, and any change would be infinitely many of it.
double SpikeDetector::Scale(double mad, double level) const {
  const double size = std::max(std::abs(level), 1e-3 * largest_);
  const double resolution = 1e-6 * size;
  const double scale = kMadToSigma * mad;
  if (scale > resolution) return scale;
  double mean = 0;
  for (const double v : window_.values()) {
    mean += std::abs(v - level) / window_.size();
  }
  return std::max({1.25 * mean, 1e-3 * size, 1e-30});
}

SpikeDetector::Band SpikeDetector::FitBand() {
  const std::deque<double>& all = window_.values();
  const Line whole =
      FitLine(all, 0, window_.older(), window_.newer(), fitting_);
  // In a steep descent the curve bends within the window: look at less of it.
  Line line = whole;
  std::size_t first = 0;
  while (all.size() - first >= 2 * kRecent &&
         line.older - line.newer > kSteep * line.scale) {
    first = all.size() - (all.size() - first) / 2;
    line = FitShorter(all, first, fitting_);
  }
  Band band;
  band.recent = whole.newer;
  band.rising = whole.newer > whole.older;
  // A falling loss flattens out, and the line alone is too low then; and a
  // rise may be the beginning of a divergence, not to be expected to go on.
  const double last = window_.newest();
  const bool rising = line.newer > line.older;
  const bool goes_on = rising ? line.end < last : line.end > last;
  const bool steep = first > 0;
  band.level = goes_on || steep ? line.end : (line.end + last) / 2;
  band.scale = Scale(line.mad, band.level);
  return band;
}

// > 0: an alarm that began so many steps ago, plus one.
int SpikeDetector::Alarm(const Limits::Values& values) const {
  if (!limits_.Exceeded(values)) return 0;
  // Back to the first of the steps that led up to it, over gaps of one.
  int starts = 1;
  int gap = 0;
  for (std::size_t i = 1; i < z_.size() && gap < 2; ++i) {
    gap = z_[z_.size() - 1 - i] > kElevated ? 0 : gap + 1;
    if (gap == 0) starts = static_cast<int>(i) + 1;
  }
  return starts;
}

// The same for a rise that is too slow for the above.
int SpikeDetector::Drifted(const Band& band) {
  if (options_.drift <= 0) return 0;
  if (window_.size() < static_cast<std::size_t>(options_.window / 2)) return 0;
  if (best_scale_ == 0 || band.recent < best_) {
    best_ = band.recent;
    best_scale_ = band.scale;
  }
  // A rise widens the band itself, so that is believed up to a point.
  const double scale = std::clamp(band.scale, best_scale_, 3 * best_scale_);
  const double rise = (band.recent - best_) / scale;
  since_calm_ = rise < 3 ? 0 : since_calm_ + 1;
  if (!band.rising || rise < options_.drift) return 0;
  // The median of the newer half lags by a quarter of the window.
  return static_cast<int>(since_calm_ + window_.size() / 4);
}

void SpikeDetector::Open(const Band& band, int starts) {
  open_ = true;
  held_ = band;
  steps_inside_ = 0;
  inside_.clear();
  // What led up to the alarm had been accepted.
  const int taken = std::min<int>(starts - 1, window_.size());
  for (int i = 0; i < taken; ++i) {
    inside_.push_front(window_.back());
    window_.PopBack();
  }
  steps_inside_ = taken;
}

bool SpikeDetector::Settled() const {
  if (inside_.size() < static_cast<std::size_t>(options_.relearn)) return false;
  const auto part = [&](std::size_t i) {
    const std::size_t n = inside_.size();
    return MedianOf(
        {inside_.begin() + n * i / 4, inside_.begin() + n * (i + 1) / 4});
  };
  const double early = part(1);
  const double late = part(3);
  const double excess = std::max(early, late) - held_.level;
  const bool moving = std::abs(late - early) > 0.25 * excess;
  return !moving || inside_.size() >= 4u * options_.relearn;
}

// The history is what the last `keep` steps of the excursion say.
void SpikeDetector::Close(std::size_t keep) {
  const std::size_t drop = inside_.size() - std::min(keep, inside_.size());
  for (std::size_t i = drop; i < inside_.size(); ++i) window_.Push(inside_[i]);
  inside_.clear();
  z_.clear();
  recent_z_.Clear();
  open_ = false;
  since_calm_ = 0;
}

// One step of an open excursion.
void SpikeDetector::Hold(double value, bool good, Reading& reading) {
  ++steps_inside_;
  if (!good) return;
  inside_.push_back(value);
  if (inside_.size() >= kCalmSteps &&
      steps_inside_ > static_cast<int>(kCalmSteps)) {
    std::vector<double> last = Copy(inside_, inside_.size() - kCalmSteps);
    const double top = *std::max_element(last.begin(), last.end());
    const double middle = MedianOf(std::move(last));
    // Without a scale (in the warm-up) eight good steps have to do.
    if (held_.scale == 0 || (middle <= held_.level + kBand * held_.scale &&
                             top <= held_.level + kTopInBand * held_.scale)) {
      reading.returned = true;
      return Close(kCalmSteps);
    }
  }
  if (!Settled()) return;
  reading.relearned = true;
  window_.Clear();
  best_scale_ = 0;
  Close(options_.window);
}

void SpikeDetector::AddZ(double z) {
  z_.push_back(z);
  recent_z_.Insert(z);
  if (z_.size() > kRecent) recent_z_.Erase(z_[z_.size() - 1 - kRecent]);
  if (z_.size() > kRemembered) z_.pop_front();
}

Reading SpikeDetector::Observe(double value, bool accepted) {
  const bool finite = IsFinite(value);
  if (finite && options_.log_scale) value = std::log(std::max(value, 1e-30));
  Reading reading;
  const bool ready =
      window_.size() >= static_cast<std::size_t>(options_.warm_up);
  Band band = held_;
  if (!open_) band = ready ? FitBand() : Band();
  reading.level = band.level;
  reading.scale = band.scale;
  reading.z = !finite             ? kInfinity
              : reading.scale > 0 ? (value - band.level) / band.scale
                                  : 0;
  const bool good = finite && accepted;
  if (!open_ && finite && ready) {
    AddZ(reading.z);
    const Limits::Values values = Limits::Of(z_);
    reading.starts = Alarm(values);
    if (reading.starts == 0) {
      limits_.Learn(values, std::min(recent_z_.Median(), 0.0));
      reading.starts = Drifted(band);
      // The level that it rose from.
      if (reading.starts > 0) reading.level = best_;
    }
  }
  if (!open_ && !good) reading.starts = std::max(reading.starts, 1);
  if (reading.starts > 0) {
    Band before = band;
    before.level = reading.level;
    Open(before, reading.starts);
  }
  reading.excursion = open_;
  if (open_) {
    Hold(value, good, reading);
    return reading;
  }
  window_.Push(value);
  largest_ = std::max(largest_, std::abs(band.level));
  return reading;
}

void SpikeDetector::Restarted() {
  if (open_) Close(0);
  z_.clear();
  recent_z_.Clear();
}

Json SpikeDetector::ToJson() const {
  return Json::Object({{"window", Json::ArrayOf(window_.values())},
                       {"z", Json::ArrayOf(z_)},
                       {"limits", limits_.ToJson()},
                       {"open", open_},
                       {"held_level", held_.level},
                       {"held_scale", held_.scale},
                       {"inside", Json::ArrayOf(inside_)},
                       {"steps_inside", steps_inside_},
                       {"best", best_},
                       {"best_scale", best_scale_},
                       {"largest", largest_},
                       {"since_calm", since_calm_}});
}

Status SpikeDetector::Restore(const Json& json) {
  SpikeDetector loaded(options_);
  std::deque<double> window, z;
  GYRE_RETURN_IF_ERROR(ReadNumbers(json, "window", window));
  loaded.window_.Assign(std::move(window));
  GYRE_RETURN_IF_ERROR(ReadNumbers(json, "z", z));
  for (const double value : z) loaded.AddZ(value);
  GYRE_RETURN_IF_ERROR(ReadNumbers(json, "inside", loaded.inside_));
  const Json* limits = json.Find("limits");
  if (limits == nullptr) return DataError("\"limits\" is missing");
  GYRE_RETURN_IF_ERROR(loaded.limits_.Restore(*limits));
  GYRE_ASSIGN_OR_RETURN(loaded.open_, json.GetBool("open"));
  GYRE_ASSIGN_OR_RETURN(loaded.held_.level, json.GetDouble("held_level"));
  GYRE_ASSIGN_OR_RETURN(loaded.held_.scale, json.GetDouble("held_scale"));
  GYRE_ASSIGN_OR_RETURN(loaded.steps_inside_, json.GetInt("steps_inside"));
  GYRE_ASSIGN_OR_RETURN(loaded.best_, json.GetDouble("best"));
  GYRE_ASSIGN_OR_RETURN(loaded.best_scale_, json.GetDouble("best_scale"));
  GYRE_ASSIGN_OR_RETURN(loaded.largest_, json.GetDouble("largest"));
  GYRE_ASSIGN_OR_RETURN(loaded.since_calm_, json.GetInt("since_calm"));
  *this = std::move(loaded);
  return OkStatus();
}

}  // namespace gyre::internal::inline monitor

#include "gyre/data/cf/axis_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gyre::internal::inline data {
namespace {

// Longitudes nearer than this are one; a million cells around are wider.
constexpr double kSameDegree = 1e-4;

// Puts `numbers` into the order `order` of their positions.
template <class T>
void Rearrange(const std::vector<std::size_t>& order, std::vector<T>* numbers) {
  std::vector<T> sorted;
  sorted.reserve(numbers->size());
  for (const std::size_t i : order) sorted.push_back((*numbers)[i]);
  *numbers = std::move(sorted);
}

// The positions sorted by `numbers`.
template <class T>
std::vector<std::size_t> SortedOrder(const std::vector<T>& numbers) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return numbers[a] < numbers[b];
  });
  return order;
}

bool IsIdentity(const std::vector<std::size_t>& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != i) return false;
  }
  return true;
}

// The same backwards?
bool IsReversal(const std::vector<std::size_t>& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != order.size() - 1 - i) return false;
  }
  return true;
}

// A longitude in [0, 360); one that is 360 but for rounding is 0.
double Turned(double lon) {
  double turned = std::fmod(lon, 360.0);
  if (turned < 0) turned += 360;
  return turned > 360 - kSameDegree / 2 ? turned - 360 : turned;
}

// Behind the widest gap around the circle; 0 where all gaps are alike.
std::size_t FirstEast(const std::vector<double>& sorted) {
  if (sorted.size() < 2) return 0;
  std::vector<double> gaps;  // before each
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    gaps.push_back(i == 0 ? sorted[0] + 360 - sorted.back()
                          : sorted[i] - sorted[i - 1]);
  }
  const auto widest = std::max_element(gaps.begin(), gaps.end());
  const std::size_t first = static_cast<std::size_t>(widest - gaps.begin());
  const double width = *widest;
  std::nth_element(gaps.begin(), gaps.begin() + gaps.size() / 2, gaps.end());
  return width > 1.5 * gaps[gaps.size() / 2] ? first : 0;
}

}  // namespace

Status OrderLatitudes(CfAxis* axis) {
  const std::vector<double>& lat = axis->values;
  for (std::size_t i = 0; i < lat.size(); ++i) {
    if (!(std::abs(lat[i]) <= 90 + kSameDegree)) {
      return DataError("expected latitudes from -90 to 90 degrees, ",
                       axis->name,
                       "[",
                       i,
                       "] is ",
                       lat[i]);
    }
  }
  axis->order = SortedOrder(lat);
  const bool flipped = IsReversal(axis->order) && lat.size() > 1;
  if (!IsIdentity(axis->order) && !flipped) {
    return DataError("expected latitudes that rise or fall throughout in ",
                     axis->name,
                     ": sort the file along it");
  }
  Rearrange(axis->order, &axis->values);
  for (std::size_t i = 1; i < lat.size(); ++i) {
    if (lat[i] == lat[i - 1]) {
      return DataError(
          "the latitude ", lat[i], " stands twice in ", axis->name);
    }
  }
  if (flipped) axis->note = "latitudes turned to run from south to north";
  return OkStatus();
}

Status OrderLongitudes(CfAxis* axis) {
  std::vector<double> turned;
  for (const double lon : axis->values) {
    if (!(std::abs(lon) <= 720 + kSameDegree)) {
      return DataError("expected longitudes in degrees, ",
                       lon,
                       " in ",
                       axis->name,
                       " is none");
    }
    turned.push_back(Turned(lon));
  }
  axis->order = SortedOrder(turned);
  std::vector<double> sorted = turned;
  Rearrange(axis->order, &sorted);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] - sorted[i - 1] < kSameDegree) {
      return DataError("the longitude ",
                       axis->values[axis->order[i]],
                       " stands twice in ",
                       axis->name,
                       " (also as ",
                       axis->values[axis->order[i - 1]],
                       "): leave one out, as with `ncks -d ",
                       axis->name,
                       ",0,",
                       sorted.size() - 2,
                       "`");
    }
  }
  const std::size_t first = FirstEast(sorted);
  std::rotate(axis->order.begin(),
              axis->order.begin() + static_cast<std::ptrdiff_t>(first),
              axis->order.end());
  std::rotate(sorted.begin(),
              sorted.begin() + static_cast<std::ptrdiff_t>(first),
              sorted.end());
  // Eastward from [-180, 180), or from 0 all around.
  double turns = !sorted.empty() && sorted[0] >= 180 ? -360 : 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && sorted[i] + turns < sorted[i - 1]) turns += 360;
    // To the bit what the file has, or that and whole turns.
    const double given = axis->values[axis->order[i]];
    sorted[i] = given + 360 * std::round((sorted[i] + turns - given) / 360);
  }
  if (!IsIdentity(axis->order)) {
    axis->note = Cat("longitudes put in order, from ",
                     sorted.front(),
                     " to ",
                     sorted.back());
  } else if (!sorted.empty() && sorted.front() != axis->values.front()) {
    axis->note = Cat("longitudes ",
                     axis->values.front(),
                     " to ",
                     axis->values.back(),
                     " called ",
                     sorted.front(),
                     " to ",
                     sorted.back());
  }
  axis->values = std::move(sorted);
  return OkStatus();
}

Status OrderTimes(CfAxis* axis) {
  axis->order = SortedOrder(axis->seconds);
  Rearrange(axis->order, &axis->seconds);
  Rearrange(axis->order, &axis->values);
  for (std::size_t i = 1; i < axis->seconds.size(); ++i) {
    if (axis->seconds[i] == axis->seconds[i - 1]) {
      return DataError("the time ",
                       IsoTime(axis->calendar, axis->seconds[i]),
                       " stands twice in ",
                       axis->name,
                       ", at ",
                       axis->order[i - 1],
                       " and ",
                       axis->order[i],
                       ": leave one of them out");
    }
  }
  if (!IsIdentity(axis->order)) axis->note = "times put in order";
  return OkStatus();
}

}  // namespace gyre::internal::inline data

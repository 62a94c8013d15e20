#include "gyre/monitor/spikes/median_window.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gyre/core/check.h"

namespace gyre::internal::inline monitor {

void SortedRun::Insert(double value) {
  values_.insert(std::upper_bound(values_.begin(), values_.end(), value),
                 value);
}

void SortedRun::Erase(double value) {
  const auto at = std::lower_bound(values_.begin(), values_.end(), value);
  GYRE_CHECK(at != values_.end() && *at == value, value, " is not there");
  values_.erase(at);
}

double SortedRun::Median() const {
  if (values_.empty()) return 0;
  const std::size_t half = values_.size() / 2;
  if (values_.size() % 2 == 1) return values_[half];
  const double below = values_[half - 1];
  return below + (values_[half] - below) / 2;
}

void MedianWindow::Push(double value) {
  values_.push_back(value);
  newer_.Insert(value);
  newest_.Insert(value);
  if (newest_.size() > newest_count_) {
    newest_.Erase(values_[values_.size() - 1 - newest_count_]);
  }
  Balance();
  if (values_.size() > most_) PopFront();
}

void MedianWindow::PopFront() {
  older_.Erase(values_.front());  // there are two or more
  if (newest_.size() == values_.size()) newest_.Erase(values_.front());
  values_.pop_front();
  Balance();
}

// Hands values on from the newer half to the older one.
void MedianWindow::Balance() {
  while (older_.size() < values_.size() / 2) {
    const double value = values_[older_.size()];
    newer_.Erase(value);
    older_.Insert(value);
  }
}

void MedianWindow::PopBack() {
  values_.pop_back();
  Rebuild();
}

void MedianWindow::Clear() { Assign({}); }

void MedianWindow::Assign(std::deque<double> values) {
  values_ = std::move(values);
  while (values_.size() > most_) values_.pop_front();
  Rebuild();
}

void MedianWindow::Rebuild() {
  older_.Clear();
  newer_.Clear();
  newest_.Clear();
  const std::size_t n = values_.size();
  for (std::size_t i = 0; i < n; ++i) {
    (i < n / 2 ? older_ : newer_).Insert(values_[i]);
    if (i + newest_count_ >= n) newest_.Insert(values_[i]);
  }
}

double MedianMagnitude(std::span<const double> values,
                       double guess,
                       std::vector<double>& scratch) {
  const std::size_t n = values.size();
  if (n == 0) return 0;
  scratch.resize(2 * n);
  double* all = scratch.data();
  double* near = scratch.data() + n;
  const double low = 0.8 * guess;
  const double high = 1.25 * guess;
  std::size_t below = 0;
  std::size_t found = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double size = std::abs(values[i]);
    all[i] = size;
    near[found] = size;
    below += size < low;
    found += size >= low && size <= high;
  }
  // Those with which the median is made, in order of size.
  const std::size_t upper = n / 2;
  const std::size_t lower = n % 2 == 1 ? upper : upper - 1;
  double* from = near;
  std::size_t count = found;
  std::size_t skipped = below;
  if (lower < below || upper >= below + found) {
    from = all;
    count = n;
    skipped = 0;
  }
  double* at = from + (upper - skipped);
  std::nth_element(from, at, from + count);
  if (lower == upper) return *at;
  const double under = *std::max_element(from, at);
  return under + (*at - under) / 2;
}

}  // namespace gyre::internal::inline monitor

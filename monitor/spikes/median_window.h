// The last numbers of a signal, with the medians that a detector asks for
// after every one of them, kept up to date instead of computed anew.
//
//   MedianWindow window(128, 32);
//   window.Push(0.3);
//   window.older();    // median of the older half
//   window.newest();   // median of the last 32

#ifndef GYRE_MONITOR_SPIKES_MEDIAN_WINDOW_H_
#define GYRE_MONITOR_SPIKES_MEDIAN_WINDOW_H_

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

namespace gyre::internal::inline monitor {

// Numbers in order of size. Erase takes one that is there.
class SortedRun {
 public:
  void Insert(double value);
  void Erase(double value);
  void Clear() { values_.clear(); }
  std::size_t size() const { return values_.size(); }
  double Median() const;  // as MedianOf

 private:
  std::vector<double> values_;
};

class MedianWindow {
 public:
  // Keeps the last `most`; `newest` of them for newest().
  MedianWindow(std::size_t most, std::size_t newest)
      : most_(most), newest_count_(newest) {}

  void Push(double value);
  void PopBack();
  void Clear();
  void Assign(std::deque<double> values);

  const std::deque<double>& values() const { return values_; }
  std::size_t size() const { return values_.size(); }
  double back() const { return values_.back(); }

  // Medians: of the first size() / 2, of the others, of the newest.
  double older() const { return older_.Median(); }
  double newer() const { return newer_.Median(); }
  double newest() const { return newest_.Median(); }

 private:
  void PopFront();
  void Balance();
  void Rebuild();

  std::size_t most_;
  std::size_t newest_count_;
  std::deque<double> values_;
  SortedRun older_;
  SortedRun newer_;
  SortedRun newest_;
};

// The median of the magnitudes; `scratch` has room for twice as many. Fast
// where `guess` is near, and the same number wherever it is.
double MedianMagnitude(std::span<const double> values,
                       double guess,
                       std::vector<double>& scratch);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SPIKES_MEDIAN_WINDOW_H_

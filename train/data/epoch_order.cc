#include "gyre/train/data/epoch_order.h"

#include <algorithm>
#include <utility>

namespace gyre::internal::inline train {
namespace {

constexpr int kRounds = 6;

}  // namespace

KeyedOrder::KeyedOrder(std::int64_t n, const RngKey& key)
    : n_(static_cast<std::uint64_t>(n)), rng_(key) {
  while ((std::uint64_t{1} << (2 * half_bits_)) < n_) ++half_bits_;
}

std::uint64_t KeyedOrder::Round(int round, std::uint64_t half) const {
  const std::uint64_t counter = static_cast<std::uint64_t>(round) << 40 | half;
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  return rng_.Bits(counter) & mask;
}

std::uint64_t KeyedOrder::Forward(std::uint64_t x) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = x >> half_bits_, right = x & mask;
  for (int round = 0; round < kRounds; ++round) {
    left = std::exchange(right, left ^ Round(round, right));
  }
  return left << half_bits_ | right;
}

std::uint64_t KeyedOrder::Backward(std::uint64_t x) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = x >> half_bits_, right = x & mask;
  for (int round = kRounds; round-- > 0;) {
    right = std::exchange(left, right ^ Round(round, left));
  }
  return left << half_bits_ | right;
}

// A number below n_ comes back in a walk along its cycle.
std::int64_t KeyedOrder::At(std::int64_t place) const {
  std::uint64_t x = Forward(static_cast<std::uint64_t>(place));
  while (x >= n_) x = Forward(x);
  return static_cast<std::int64_t>(x);
}

std::int64_t KeyedOrder::PlaceOf(std::int64_t number) const {
  std::uint64_t x = Backward(static_cast<std::uint64_t>(number));
  while (x >= n_) x = Backward(x);
  return static_cast<std::int64_t>(x);
}

EpochOrder::EpochOrder(Options options)
    : options_(std::move(options)), function_(options_.samples, options_.key) {
  if (options_.samples <= options_.longest_list) {
    list_ = Permutation(options_.samples, options_.key);
  }
  if (!options_.left_out.empty()) Replace();
}

std::int64_t EpochOrder::Original(std::int64_t place) const {
  return list_.empty() ? function_.At(place) : list_[place];
}

std::int64_t EpochOrder::operator[](std::int64_t place) const {
  if (!replaced_.empty()) {
    const auto found = replaced_.find(place);
    if (found != replaced_.end()) return found->second;
  }
  return Original(place);
}

// Sorted.
std::vector<std::int64_t> EpochOrder::PlacesLeftOut() const {
  std::vector<std::int64_t> places;
  if (list_.empty()) {
    for (const std::int64_t sample : options_.left_out) {
      places.push_back(function_.PlaceOf(sample));
    }
    std::sort(places.begin(), places.end());
    return places;
  }
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (options_.left_out.count(list_[i]) > 0) {
      places.push_back(static_cast<std::int64_t>(i));
    }
  }
  return places;
}

bool EpochOrder::BatchHolds(std::int64_t place, std::int64_t sample) const {
  const std::int64_t first = place / options_.batch * options_.batch;
  for (std::int64_t i = first; i < first + options_.batch; ++i) {
    if ((*this)[i] == sample) return true;
  }
  return false;
}

void EpochOrder::Replace() {
  const std::int64_t used = options_.samples / options_.batch * options_.batch;
  std::int64_t next = used;  // of the samples that may stand in
  for (const std::int64_t place : PlacesLeftOut()) {
    if (place >= used) break;
    for (;; ++next) {
      const std::int64_t sample = Original(next % options_.samples);
      if (options_.left_out.count(sample) > 0) continue;
      if (!BatchHolds(place, sample)) break;
    }
    replaced_[place] = Original(next++ % options_.samples);
  }
}

}  // namespace gyre::internal::inline train

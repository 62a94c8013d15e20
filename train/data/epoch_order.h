// The order of a data set in one epoch: a random order of all samples.
//
// Up to 2^20 samples it is a list, shuffled once (core/rng.h: Permutation).
// Beyond that it is a function, which needs no memory: a block cipher on the
// numbers below the next power of four, applied again until the number is one
// of a sample. (Luby and Rackoff, 1988; Black and Rogaway, "Ciphers with
// arbitrary finite domains", 2002, cycle walking.)
//
// A sample that is left out is replaced where it stands, by the next of the
// epoch's samples that no batch holds, and when these are used up by the
// epoch's first ones once more: all other batches stay what they were. No batch
// holds a sample twice.

#ifndef GYRE_TRAIN_DATA_EPOCH_ORDER_H_
#define GYRE_TRAIN_DATA_EPOCH_ORDER_H_

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "gyre/core/rng.h"

namespace gyre::internal::inline train {

// A random order of 0 .. n-1, as a function and its inverse.
class KeyedOrder {
 public:
  KeyedOrder(std::int64_t n, const RngKey& key);

  std::int64_t At(std::int64_t place) const;
  std::int64_t PlaceOf(std::int64_t number) const;

 private:
  std::uint64_t Round(int round, std::uint64_t half) const;
  std::uint64_t Forward(std::uint64_t x) const;
  std::uint64_t Backward(std::uint64_t x) const;

  std::uint64_t n_;
  Rng rng_;
  int half_bits_ = 1;
};

class EpochOrder {
 public:
  struct Options {
    std::int64_t samples = 0;
    std::int64_t batch = 1;
    RngKey key = {};
    // Positions in the data set. What is not out must fill a batch.
    std::set<std::int64_t> left_out = {};
    std::int64_t longest_list = std::int64_t{1} << 20;  // samples
  };
  explicit EpochOrder(Options options);

  // The sample at a place of the epoch's batches.
  std::int64_t operator[](std::int64_t place) const;
  // By place: the samples that stand in for others.
  const std::map<std::int64_t, std::int64_t>& replaced() const {
    return replaced_;
  }

 private:
  std::int64_t Original(std::int64_t place) const;
  std::vector<std::int64_t> PlacesLeftOut() const;
  bool BatchHolds(std::int64_t place, std::int64_t sample) const;
  void Replace();

  const Options options_;
  std::vector<std::int64_t> list_;  // empty: a function
  KeyedOrder function_;
  std::map<std::int64_t, std::int64_t> replaced_;
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_DATA_EPOCH_ORDER_H_

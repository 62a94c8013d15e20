#include "gyre/collectives/message/body_sink.h"

#include <algorithm>
#include <cstring>

#include "gyre/collectives/reduce.h"

namespace gyre::internal::inline collectives {

void BodySink::Take(std::size_t, std::span<const std::byte> piece) {
  arrived_ += piece.size();
}

void PairBody::Take(std::size_t offset, std::span<const std::byte> piece) {
  BodySink::Take(offset, piece);
  const std::size_t element = SizeOf(pair_.dtype);
  if (cut_bytes_ > 0) {
    const std::size_t n = std::min(piece.size(), element - cut_bytes_);
    std::memcpy(cut_.data() + cut_bytes_, piece.data(), n);
    cut_bytes_ += n;
    piece = piece.subspan(n);
    if (cut_bytes_ < element) return;
    ReduceElements(cut_.data(), 1);
    cut_bytes_ = 0;
  }
  const std::size_t whole = piece.size() / element;
  ReduceElements(piece.data(), whole);
  piece = piece.subspan(whole * element);
  if (!piece.empty()) std::memcpy(cut_.data(), piece.data(), piece.size());
  cut_bytes_ = piece.size();
}

void PairBody::ReduceElements(const std::byte* theirs, std::size_t count) {
  if (count == 0) return;
  const std::byte* const mine = pair_.mine + reduced_;
  const void* sources[2] = {pair_.mine_first ? mine : theirs,
                            pair_.mine_first ? theirs : mine};
  Reduce(pair_.dtype, pair_.op, sources, pair_.out + reduced_, count);
  reduced_ += count * SizeOf(pair_.dtype);
}

}  // namespace gyre::internal::inline collectives

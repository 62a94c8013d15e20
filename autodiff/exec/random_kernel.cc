#include "gyre/autodiff/exec/random_kernel.h"

#include <algorithm>
#include <cstring>
#include <numbers>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/core/hash.h"
#include "gyre/core/math.h"
#include "gyre/core/rng.h"
#include "gyre/core/simd.h"

namespace gyre::internal::inline autodiff {
namespace {

constexpr int kBlocks = 8;
constexpr int kGroup = 4 * kBlocks;
constexpr float kTwoPi = 2 * std::numbers::pi_v<float>;

struct Stream {
  std::array<std::uint32_t, 2> key;
  std::uint64_t step;
};

Stream StreamOf(const RandomSource& source, const StepContext& context) {
  Communicator* group = context.mesh == nullptr || source.varies == 0
                            ? nullptr
                            : context.mesh->Group(source.varies);
  const std::uint64_t words[] = {
      source.seed,
      source.name,
      group == nullptr ? 0 : static_cast<std::uint64_t>(group->rank())};
  const std::uint64_t key = Hash64(words, sizeof words);
  return {
      {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)},
      static_cast<std::uint64_t>(context.step)};
}

std::array<std::uint32_t, 4> CounterOf(const Stream& stream,
                                       std::uint64_t block) {
  return {static_cast<std::uint32_t>(block),
          static_cast<std::uint32_t>(block >> 32),
          static_cast<std::uint32_t>(stream.step),
          static_cast<std::uint32_t>(stream.step >> 32)};
}

// words[w][b] is word w of the group's block b: Philox (core/rng.h) on eight
// counters at once. The first block's number is a multiple of 8, so the eight
// differ in their lowest word alone.
void PhiloxGroup(const Stream& stream,
                 std::uint64_t group,
                 std::uint32_t words[4][kBlocks]) {
  const auto first = CounterOf(stream, group * kBlocks);
  for (int b = 0; b < kBlocks; ++b) {
    words[0][b] = first[0] + static_cast<std::uint32_t>(b);
    words[1][b] = first[1];
    words[2][b] = first[2];
    words[3][b] = first[3];
  }
  std::uint32_t key0 = stream.key[0];
  std::uint32_t key1 = stream.key[1];
  for (int round = 0; round < 10; ++round) {
    for (int b = 0; b < kBlocks; ++b) {
      const std::uint64_t p = std::uint64_t{0xD2511F53u} * words[0][b];
      const std::uint64_t q = std::uint64_t{0xCD9E8D57u} * words[2][b];
      words[0][b] = static_cast<std::uint32_t>(q >> 32) ^ words[1][b] ^ key0;
      words[1][b] = static_cast<std::uint32_t>(q);
      words[2][b] = static_cast<std::uint32_t>(p >> 32) ^ words[3][b] ^ key1;
      words[3][b] = static_cast<std::uint32_t>(p);
    }
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
}

float UnitOf(std::uint32_t word) {
  return static_cast<float>(static_cast<std::int32_t>(word >> 8)) * 0x1p-24f;
}

// 1 - u is in (0, 1], so that the logarithm is finite.
template <class V>
V RadiusOf(V u) {
  return math::sqrt(V(-2.0f) * math::log(V(1.0f) - u));
}

void UniformGroup(const std::uint32_t words[4][kBlocks], float* out) {
  for (int w = 0; w < 4; ++w) {
    for (int b = 0; b < kBlocks; ++b) {
      out[w * kBlocks + b] = UnitOf(words[w][b]);
    }
  }
}

void NormalGroup(const std::uint32_t words[4][kBlocks], float* out) {
  float u[2 * kBlocks];
  float v[2 * kBlocks];
  for (int b = 0; b < kBlocks; ++b) {
    u[b] = UnitOf(words[0][b]);
    u[kBlocks + b] = UnitOf(words[2][b]);
    v[b] = UnitOf(words[1][b]) * kTwoPi;
    v[kBlocks + b] = UnitOf(words[3][b]) * kTwoPi;
  }
  constexpr int kWidth = static_cast<int>(kLanes<float>);
  static_assert(2 * kBlocks % kWidth == 0);
  for (int i = 0; i < 2 * kBlocks; i += kWidth) {
    const FloatBatch radius = RadiusOf(Load(u + i));
    const FloatBatch angle = Load(v + i);
    Store(out + i, radius * math::cos(angle));
    Store(out + 2 * kBlocks + i, radius * math::sin(angle));
  }
}

class FastKernel final : public Kernel {
 public:
  FastKernel(std::int64_t count, Draw draw, const RandomSource& source)
      : count_(count), draw_(draw), source_(source) {}

  Status Run(const KernelArgs& args) override {
    const Stream stream = StreamOf(source_, *args.context);
    float* out = args.output<float>(0);
    std::uint32_t words[4][kBlocks];
    std::int64_t at = 0;
    for (; at + kGroup <= count_; at += kGroup) {
      PhiloxGroup(stream, at / kGroup, words);
      Fill(words, out + at);
    }
    if (at < count_) {
      float last[kGroup];
      PhiloxGroup(stream, at / kGroup, words);
      Fill(words, last);
      std::copy_n(last, count_ - at, out + at);
    }
    return OkStatus();
  }

 private:
  void Fill(const std::uint32_t words[4][kBlocks], float* out) const {
    if (draw_ == Draw::kUniform) {
      UniformGroup(words, out);
    } else {
      NormalGroup(words, out);
    }
  }

  std::int64_t count_;
  Draw draw_;
  RandomSource source_;
};

// One number after the other, straight from the definition.
class ReferenceKernel final : public Kernel {
 public:
  ReferenceKernel(std::int64_t count, Draw draw, const RandomSource& source)
      : count_(count), draw_(draw), source_(source) {}

  Status Run(const KernelArgs& args) override {
    const Stream stream = StreamOf(source_, *args.context);
    float* out = args.output<float>(0);
    for (std::int64_t i = 0; i < count_; ++i) {
      const int place = static_cast<int>(i % kGroup);
      const auto words =
          Philox(CounterOf(stream, i / kGroup * kBlocks + place % kBlocks),
                 stream.key);
      out[i] = draw_ == Draw::kUniform ? UnitOf(words[place / kBlocks])
                                       : Normal(words, place);
    }
    return OkStatus();
  }

 private:
  static float Normal(const std::array<std::uint32_t, 4>& words, int place) {
    const int pair = place / kBlocks % 2;
    const float radius = RadiusOf(UnitOf(words[2 * pair]));
    const float angle = UnitOf(words[2 * pair + 1]) * kTwoPi;
    return radius * (place < kGroup / 2 ? math::cos(angle) : math::sin(angle));
  }

  std::int64_t count_;
  Draw draw_;
  RandomSource source_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeRandomKernel(const KernelRequest& request,
                                                   Draw draw,
                                                   const RandomSource& source) {
  const std::int64_t count = request.outputs[0].shape.elements();
  if (request.set == KernelSet::kReference) {
    return std::make_unique<ReferenceKernel>(count, draw, source);
  }
  return std::make_unique<FastKernel>(count, draw, source);
}

}  // namespace gyre::internal::inline autodiff

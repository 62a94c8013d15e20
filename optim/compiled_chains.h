// The chains that the library has compiled, with SIMD: a source that uses one
// compiles no update of its own, whatever its flags. For any_optimizer.h.
//
// They are what the factories give (Adam(), Momentum() ...), alone, and the
// usual ones followed by TrackEma or after a clip. Any other chain is compiled
// where it is used.

#ifndef GYRE_OPTIM_COMPILED_CHAINS_H_
#define GYRE_OPTIM_COMPILED_CHAINS_H_

namespace gyre::optim {

struct AddDecayedWeights;
struct ClipAdaptive;
struct ClipEach;
struct ClipTensorNorm;
struct ClipTensorRms;
struct ScaleByAdam;
struct ScaleByFactoredRms;
struct ScaleByLearningRate;
struct ScaleByLion;
struct ScaleByMomentum;
struct ScaleByParamRms;
struct ScaleByRms;
struct ScaleByTrustRatio;
struct TrackEma;

namespace detail {

// X(stages...) for each of them, by the source that compiles them.
#define GYRE_DESCENT_CHAINS(X)                          \
  X(ScaleByLearningRate)                                \
  X(ScaleByMomentum, ScaleByLearningRate)               \
  X(ScaleByMomentum, ScaleByLearningRate, TrackEma)     \
  X(ClipAdaptive, ScaleByMomentum, ScaleByLearningRate) \
  X(ScaleByRms, ScaleByLearningRate)                    \
  X(ScaleByLion, AddDecayedWeights, ScaleByLearningRate)

#define GYRE_ADAM_CHAINS(X)                                        \
  X(ScaleByAdam, ScaleByLearningRate)                              \
  X(ScaleByAdam, ScaleByLearningRate, TrackEma)                    \
  X(ClipEach, ScaleByAdam, ScaleByLearningRate)                    \
  X(ClipTensorNorm, ScaleByAdam, ScaleByLearningRate)              \
  X(ScaleByAdam, AddDecayedWeights, ScaleByLearningRate)           \
  X(ScaleByAdam, AddDecayedWeights, ScaleByLearningRate, TrackEma) \
  X(ClipEach, ScaleByAdam, AddDecayedWeights, ScaleByLearningRate) \
  X(ClipTensorNorm, ScaleByAdam, AddDecayedWeights, ScaleByLearningRate)

#define GYRE_TENSOR_CHAINS(X)                                               \
  X(ScaleByAdam, AddDecayedWeights, ScaleByTrustRatio, ScaleByLearningRate) \
  X(ScaleByFactoredRms, ClipTensorRms, ScaleByParamRms, ScaleByLearningRate)

// Whether the library has compiled the chain of these stages.
template <class... S>
inline constexpr bool kCompiledChain = false;

#define GYRE_IS_COMPILED(...) \
  template <>                 \
  inline constexpr bool kCompiledChain<__VA_ARGS__> = true;
GYRE_DESCENT_CHAINS(GYRE_IS_COMPILED)
GYRE_ADAM_CHAINS(GYRE_IS_COMPILED)
GYRE_TENSOR_CHAINS(GYRE_IS_COMPILED)
#undef GYRE_IS_COMPILED

}  // namespace detail
}  // namespace gyre::optim

#endif  // GYRE_OPTIM_COMPILED_CHAINS_H_

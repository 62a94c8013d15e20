// A training step of one rank, for benchmarks.

#ifndef GYRE_TESTS_BENCH_TRAINER_H_
#define GYRE_TESTS_BENCH_TRAINER_H_

#include <benchmark/benchmark.h>

#include <memory>

#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline tests::bench {

// Numbers from a normal distribution, the same in every run.
Tensor RandomTensor(Shape shape, std::uint32_t stream);

struct Trainer {
  std::unique_ptr<Communicator> world;
  std::unique_ptr<TrainStep> step;
  SampleBatch batch;
};

// AdamW at 1e-3 behind a guard that clips to norm 1. Ends the program on an
// error: a benchmark has nobody to report it to.
Trainer MakeTrainer(ModelFunction model, LossFunction loss, SampleBatch batch);

// Times steps; returns the seconds of one.
double TimeSteps(benchmark::State& state, Trainer& trainer);

// What the update alone needs by the bandwidth of memory: Adam reads
// parameter, gradient and two moments, and writes three of them.
double UpdateSeconds(const Trainer& trainer);

}  // namespace gyre::internal::inline tests::bench

#endif  // GYRE_TESTS_BENCH_TRAINER_H_

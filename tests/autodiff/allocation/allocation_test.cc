// A step allocates nothing. This program counts every operator new, so it is
// a program of its own.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/vjp.h"

namespace {

std::atomic<long>& Allocations() {
  static std::atomic<long> count{0};
  return count;
}

void* Counted(std::size_t bytes, std::size_t alignment) {
  ++Allocations();
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return Counted(bytes, 16); }
void* operator new[](std::size_t bytes) { return Counted(bytes, 16); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return Counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return Counted(bytes, static_cast<std::size_t>(alignment));
}
// Not inlined: g++ would see a free() of what operator new gave, and warn.
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory,
                                       std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory,
                                         std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory,
                                       std::size_t,
                                       std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory,
                                         std::size_t,
                                         std::align_val_t) noexcept {
  std::free(memory);
}

namespace gyre::internal::inline tests {
namespace {

struct SquaredError {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return (a - b) * (a - b);
  }
};

// A network with all that a step is made of: products, fused chains, whole
// and partial reductions, a functor's loss, gradients.
std::unique_ptr<Executor> Network(std::vector<Tensor>& inputs) {
  Tape tape;
  std::vector<Var> x;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    x.push_back(tape.Input(Cat("x", i), {inputs[i].shape(), DType::kF32, 0}));
  }
  const Var hidden = tanh(matmul(x[0], x[1]) + x[2]);
  const Var centred = hidden - mean(hidden, {1}, true);
  const Var loss = mean(pointwise(SquaredError{}, centred, x[3])) +
                   mean(exp(-square(hidden)));
  std::vector<Var> results = Gradients(loss, std::vector<Var>{x[1], x[2]});
  results.push_back(loss);
  auto plan = Plan::Compile(tape, results);
  EXPECT_TRUE(plan.ok());
  auto executor = Executor::Create(*plan);
  EXPECT_TRUE(executor.ok());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    (*executor)->Bind(static_cast<int>(i), inputs[i].raw());
  }
  return *std::move(executor);
}

TEST(Allocation, ThisProgramCounts) {
  const long before = Allocations();
  // Called by name: a compiler may leave a new-expression out.
  ::operator delete(::operator new(8));
  EXPECT_GT(Allocations(), before);
}

TEST(Allocation, AStepAllocatesNothing) {
  std::vector<Tensor> inputs = {Tensor::Zeros({33, 20}),
                                Tensor::Zeros({20, 50}),
                                Tensor::Zeros({50}),
                                Tensor::Zeros({33, 50})};
  const auto executor = Network(inputs);
  ASSERT_TRUE(executor->Run({}).ok());  // what libraries set up on first use
  const long before = Allocations();
  bool ok = true;
  for (int step = 0; step < 10; ++step) {
    ok = executor->Run({.step = step}).ok() && ok;
  }
  EXPECT_EQ(Allocations() - before, 0);
  EXPECT_TRUE(ok);
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/autodiff/ops/random.h"

#include <memory>
#include <utility>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/random_op.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/core/hash.h"

namespace gyre {

using namespace internal;

namespace {

Var DrawLike(Draw draw, const Traced& x, const RandomKey& key) {
  const Var in = x.var();
  if (!in.valid()) return in;
  const Located at(x);
  const Var numbers = in.tape()->RecordOne(
      std::make_shared<RandomOp>(draw, in.shape(), key, in.varies()),
      {},
      at.loc());
  return numbers.valid() ? cast(at(numbers), in.dtype()) : numbers;
}

}  // namespace

RandomOp::RandomOp(Draw draw, Shape shape, const RandomKey& key, AxisSet varies)
    : draw_(draw),
      shape_(std::move(shape)),
      seed_(key.seed),
      stream_(key.name),
      varies_(varies) {}

std::string RandomOp::attributes() const {
  return Cat(shape_, " seed=", seed_, " \"", stream_, "\" axes=", varies_);
}

StatusOr<std::vector<TensorSpec>> RandomOp::Infer(
    std::span<const TensorSpec>) const {
  GYRE_RETURN_IF_ERROR(shape_.Validate());
  return std::vector<TensorSpec>{{shape_, DType::kF32, varies_}};
}

StatusOr<std::unique_ptr<Kernel>> RandomOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeRandomKernel(request, draw_, {seed_, Hash64(stream_), varies_});
}

Var uniform_like(Traced x, RandomKey key) {
  return DrawLike(Draw::kUniform, x, key);
}
Var normal_like(Traced x, RandomKey key) {
  return DrawLike(Draw::kNormal, x, key);
}

Var uniform(Tape& tape,
            Shape shape,
            RandomKey key,
            AxisSet varies,
            const char* file,
            int line) {
  return tape.RecordOne(
      std::make_shared<RandomOp>(Draw::kUniform, std::move(shape), key, varies),
      {},
      {file, line});
}
Var normal(Tape& tape,
           Shape shape,
           RandomKey key,
           AxisSet varies,
           const char* file,
           int line) {
  return tape.RecordOne(
      std::make_shared<RandomOp>(Draw::kNormal, std::move(shape), key, varies),
      {},
      {file, line});
}

Var dropout(Traced x, double rate, RandomKey key) {
  const Var in = x.var();
  if (!in.valid()) return in;
  const Located at(x);
  if (!(rate >= 0 && rate < 1)) {
    return at.Fail(
        in, "dropout", ConfigError("expected a rate in [0, 1), got ", rate));
  }
  if (rate == 0 || !in.tape()->training()) return in;
  const Var numbers = uniform(
      *in.tape(), in.shape(), key, in.varies(), at.loc().file, at.loc().line);
  const Var keep = at(numbers) >= at(rate);
  const Var scaled = at(in) * at(1 / (1 - rate));
  const Var y = select(at(keep), at(scaled), at(0.0));
  return y.valid() ? cast(at(y), in.dtype()) : y;
}

}  // namespace gyre

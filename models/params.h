// The parameters of a model, declared where they are used.
//
//   Var Dense(Params params, Var x, std::int64_t out) {
//     const std::int64_t in = x.shape()[1];
//     const Var w = params.Get("w", {in, out}, LecunNormal(in));
//     const Var b = params.Get("b", {out}, Zeros());
//     return matmul(x, w) + b;
//   }
//   Var h = Dense(params.Scope("encoder"), x, 64);   // encoder.w, encoder.b
//
// The program is traced once, so asking for a parameter declares it. Its
// first value depends on the seed and its name alone: the same on every rank,
// whatever the order of the layers.
//
// A buffer is state of the model that no gradient moves:
//
//   const Var mean = params.GetBuffer("mean", {64}, Zeros());
//   params.SetBuffer("mean", 0.9 * mean + 0.1 * pmean(batch_mean));
//
// A parameter may be cut into parts, one for each rank of a mesh axis; its
// first value is then the rank's part of what all of it would be:
//
//   params.GetPart("w", {256, 1024}, 1, "model", LecunNormal(256));
//   // (256, 512) on each of two ranks

#ifndef GYRE_MODELS_PARAMS_H_
#define GYRE_MODELS_PARAMS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/autodiff/tape.h"
#include "gyre/core/rng.h"
#include "gyre/core/tensor.h"
#include "gyre/models/part.h"

namespace gyre {

// Fills a new parameter.
using Init = std::function<void(std::span<float> values, const Rng& rng)>;

Init Zeros();
Init Ones();
Init Normal(double stddev);
// Normal with variance 1 / fan_in: keeps a linear or tanh layer's scale.
// LeCun et al., "Efficient BackProp", 1998.
Init LecunNormal(std::int64_t fan_in);
// Normal with variance 2 / fan_in, for ReLU.
// He et al., "Delving deep into rectifiers", 2015.
Init HeNormal(std::int64_t fan_in);

struct Parameter {
  std::string name;
  SourceLoc loc;            // that declared it
  internal::PartSpec part;  // all of it, unless it came from GetPart
  Tensor initial;           // f32, this rank's
  Var input;  // as bound each step: it varies over the part's axes
  Var used;   // one copy per rank, by type: what gradients are of
  Var seen;   // the same in the type that the model computes in
};

// A number that training changes, but not by a gradient: running statistics.
struct Buffer {
  std::string name;
  Tensor initial;  // f32
  Var input;       // its value in this step, the same on every rank
  Var next;        // its value after the step, if the step is applied
  Var seen;        // `input` in the type that the model computes in
};

class Params {
 public:
  // `varies`: the axes over which batches differ. A model sees its
  // parameters as varying over them, so that the gradient it gets is this
  // rank's share, and the train step adds the shares once, in buckets.
  // `compute`: the type that layers multiply in; parameters are f32 always.
  Params(internal::Tape& tape,
         std::uint64_t seed,
         AxisSet varies,
         DType compute = DType::kF32);

  // The parameter of this name. Asking twice gives the same one; asking with
  // another shape is an error of the trace.
  Var Get(const std::string& name,
          Shape shape,
          const Init& init,
          const char* file = __builtin_FILE(),
          int line = __builtin_LINE());

  // This rank's part of a parameter of shape `whole`, which the ranks of the
  // axis hold in equal parts along `dim`. Errors as for Get; no such axis; a
  // dimension that the ranks do not divide. On an axis of one rank, and
  // without a mesh, the same as Get.
  Var GetPart(const std::string& name,
              Shape whole,
              int dim,
              std::string_view axis,
              const Init& init,
              const char* file = __builtin_FILE(),
              int line = __builtin_LINE());

  // The buffer of this name, as it stands in this step; a buffer that is not
  // set keeps its value. Errors as for Get.
  Var GetBuffer(const std::string& name,
                Shape shape,
                const Init& init,
                const char* file = __builtin_FILE(),
                int line = __builtin_LINE());
  // What the buffer becomes if the guard lets the step through; a skipped
  // step leaves every buffer as it is, to the bit. Errors of the trace: no
  // such buffer; another shape or type; a value that differs from rank to
  // rank (finish it with pmean()); set twice.
  void SetBuffer(const std::string& name,
                 Var next,
                 const char* file = __builtin_FILE(),
                 int line = __builtin_LINE());

  // The type that products and convolutions are computed in: a layer of your
  // own multiplies InComputeType(x) with InComputeType(w). f32, unless the
  // training step says otherwise (TrainSpec::compute); then f32 values are
  // rounded to it. Where it is f64, all parameters and buffers are seen as f64.
  DType compute() const { return store_->compute; }
  Var InComputeType(Var x,
                    const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) const;

  // Whether the program is one that trains. The same model is traced a second
  // time, with false, for TrainStep::Predict and Evaluate: dropout() and
  // batch_norm() heed it by themselves, a layer of your own may ask. Both
  // programs must declare the same parameters.
  bool training() const {
    return !store_->mark->recording() || store_->tape->training();
  }

  // That the program is traced for; null: a world of one.
  const Mesh* mesh() const {
    return store_->mark->recording() ? store_->tape->mesh() : nullptr;
  }

  // What a layer of x gives where x cannot be used, or where these parameters
  // were kept from another trace, which is then an error at the layer's call.
  // Nothing: both are of one trace.
  std::optional<Var> Unusable(const Traced& x) const;

  // The same parameters under a longer name.
  Params Scope(const std::string& name) const;

  // Puts parameters into another order: the i-th is then the order[i]-th.
  void Reorder(std::span<const int> order);

  // Frees the first values, once they are where training keeps them.
  void DropInitialValues();

  // All that was declared, in order.
  const std::vector<Parameter>& all() const { return store_->list; }
  const std::vector<Buffer>& buffers() const { return store_->buffers; }

 private:
  struct Store {
    internal::Tape* tape;
    std::uint64_t seed;
    AxisSet varies;
    DType compute;
    std::vector<Parameter> list;
    std::vector<Buffer> buffers;
    // Of the tape, which may be gone when somebody asks parameters that were
    // kept for one more.
    std::shared_ptr<const internal::TapeMark> mark;
  };
  Var Declare(const std::string& name,
              internal::PartSpec part,
              const Init& init,
              const SourceLoc& loc);
  Params(std::shared_ptr<Store> store, std::string prefix)
      : store_(std::move(store)), prefix_(std::move(prefix)) {}

  std::shared_ptr<Store> store_;
  std::string prefix_;
};

}  // namespace gyre

#endif  // GYRE_MODELS_PARAMS_H_

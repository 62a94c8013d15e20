#include "gyre/models/params.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gyre/autodiff/ops/buffer.h"
#include "gyre/autodiff/ops/collective.h"
#include "gyre/autodiff/ops/collective_op.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/core/hash.h"

namespace gyre {

using namespace internal;

namespace {

Init Filled(float value) {
  return [value](std::span<float> values, const Rng&) {
    std::fill(values.begin(), values.end(), value);
  };
}

// The first value, by the seed and the name alone.
Tensor Initial(const std::string& name,
               Shape shape,
               const Init& init,
               std::uint64_t seed) {
  Tensor tensor(DType::kF32, std::move(shape));
  const auto stream = static_cast<std::uint32_t>(Hash64(name));
  init(tensor.data<float>(), Rng({.seed = seed, .step = 0, .stream = stream}));
  return tensor;
}

// Of the parameter or buffer that is known under the name already.
Var SameShape(Tape& tape,
              const SourceLoc& loc,
              std::string_view kind,
              const std::string& name,
              const Shape& known,
              const Shape& asked,
              Var value) {
  if (known == asked) return value;
  tape.NoteError(
      loc,
      kind,
      ConfigError(
          "\"", name, "\" has shape ", known, " and is asked for as ", asked));
  return Var(&tape, -1);
}

// As the model sees what training keeps in f32.
Var Seen(Var x, DType compute, const SourceLoc& loc) {
  return compute == DType::kF64 ? cast(At(x, loc), DType::kF64) : x;
}

// Of parameters that were kept from a trace that is over.
Var OfOtherTrace(const SourceLoc& loc) {
  return Var(std::make_shared<internal::TapeMark>(
      internal::VarFault::kOtherTrace, loc));
}

}  // namespace

Init Zeros() { return Filled(0.0f); }
Init Ones() { return Filled(1.0f); }

Init Normal(double stddev) {
  return [stddev](std::span<float> values, const Rng& rng) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(stddev * rng.Normal(i));
    }
  };
}

Init LecunNormal(std::int64_t fan_in) {
  return Normal(std::sqrt(1.0 / static_cast<double>(fan_in)));
}
Init HeNormal(std::int64_t fan_in) {
  return Normal(std::sqrt(2.0 / static_cast<double>(fan_in)));
}

Params::Params(Tape& tape, std::uint64_t seed, AxisSet varies, DType compute)
    : store_(std::make_shared<Store>(
          Store{&tape, seed, varies, compute, {}, {}, tape.mark()})) {}

Var Params::InComputeType(Var x, const char* file, int line) const {
  const DType compute = store_->compute;
  if (!x.valid() || compute == DType::kF32) return x;
  // f64 and integers are somebody's choice; only f32 gives way.
  if (x.dtype() != DType::kF32) return x;
  return cast(Traced(x, file, line), compute);
}

std::optional<Var> Params::Unusable(const Traced& x) const {
  const Var var = x.var();
  if (!var.valid()) return var;
  if (var.mark() == store_->mark.get()) return std::nullopt;
  Tape& tape = *var.tape();
  tape.NoteFault(*OfOtherTrace(tape.LineOf(x.loc())).mark());
  return Var(&tape, -1);
}

Params Params::Scope(const std::string& name) const {
  return Params(store_, prefix_ + name + ".");
}

Var Params::Get(const std::string& name,
                Shape shape,
                const Init& init,
                const char* file,
                int line) {
  return Declare(name, {.whole = std::move(shape)}, init, {file, line});
}

Var Params::GetPart(const std::string& name,
                    Shape whole,
                    int dim,
                    std::string_view axis,
                    const Init& init,
                    const char* file,
                    int line) {
  if (!store_->mark->recording()) return OfOtherTrace({file, line});
  const Mesh* mesh = store_->tape->mesh();
  PartSpec part{.whole = std::move(whole), .dim = dim};
  if (mesh != nullptr) {
    const auto index = mesh->AxisIndex(axis);
    if (!index.ok()) {
      store_->tape->NoteError({file, line}, "parameter", index.status());
      return Var(store_->tape, -1);
    }
    part.axes = mesh->WithoutUnitAxes(AxisSet{1} << *index);
  }
  return Declare(name, std::move(part), init, {file, line});
}

Var Params::Declare(const std::string& name,
                    PartSpec part,
                    const Init& init,
                    const SourceLoc& loc) {
  if (!store_->mark->recording()) return OfOtherTrace(loc);
  Tape& tape = *store_->tape;
  const std::string full = prefix_ + name;
  for (const Parameter& known : store_->list) {
    if (known.name != full) continue;
    if (known.part.axes != part.axes || known.part.dim != part.dim) {
      tape.NoteError(loc,
                     "parameter",
                     ConfigError("\"",
                                 full,
                                 "\" is cut in another way here "
                                 "than where it was declared"));
      return Var(&tape, -1);
    }
    return SameShape(
        tape, loc, "parameter", full, known.part.whole, part.whole, known.seen);
  }
  Parameter parameter;
  parameter.name = full;
  parameter.loc = tape.LineOf(loc);
  const int count = part.is_part() ? tape.mesh()->SizeOf(part.axes) : 1;
  StatusOr<Shape> shape = part.whole;
  if (part.is_part()) shape = PartShape(part.whole, part.dim, count);
  if (!shape.ok()) {
    tape.NoteError(loc, "parameter", Annotate(shape.status(), full + ": "));
    return Var(&tape, -1);
  }
  parameter.input = tape.Input(full, {*shape, DType::kF32, part.axes});
  if (!parameter.input.valid()) return parameter.input;
  tape.MarkAs(parameter.input, kOfParameters);
  if (training()) {
    parameter.initial = Initial(full, part.whole, init, store_->seed);
  }
  if (training() && part.is_part()) {
    const Tensor whole = parameter.initial;
    parameter.initial = Tensor(DType::kF32, *shape);
    TakePart(whole.data<float>(),
             part.whole,
             part.dim,
             tape.mesh()->Position(part.axes),
             count,
             parameter.initial.data<float>());
  }
  parameter.used = parameter.input;
  if (const AxisSet missing = store_->varies & ~part.axes; missing != 0) {
    parameter.used = tape.RecordOne(
        std::make_shared<VaryOp>(missing), {&parameter.input, 1}, loc);
  }
  parameter.seen = Seen(parameter.used, store_->compute, loc);
  parameter.part = std::move(part);
  store_->list.push_back(parameter);
  return parameter.seen;
}

void Params::Reorder(std::span<const int> order) {
  std::vector<Parameter> list;
  for (const int i : order) list.push_back(store_->list[i]);
  store_->list = std::move(list);
}

Var Params::GetBuffer(const std::string& name,
                      Shape shape,
                      const Init& init,
                      const char* file,
                      int line) {
  if (!store_->mark->recording()) return OfOtherTrace({file, line});
  Tape& tape = *store_->tape;
  const std::string full = prefix_ + name;
  for (const Buffer& known : store_->buffers) {
    if (known.name != full) continue;
    return SameShape(tape,
                     {file, line},
                     "buffer",
                     full,
                     known.input.shape(),
                     shape,
                     known.seen);
  }
  Buffer buffer;
  buffer.name = full;
  buffer.input = tape.Input(full, {shape, DType::kF32, 0});
  if (!buffer.input.valid()) return buffer.input;
  if (training()) {
    buffer.initial = Initial(full, std::move(shape), init, store_->seed);
  }
  buffer.seen = Seen(buffer.input, store_->compute, {file, line});
  store_->buffers.push_back(buffer);
  return buffer.seen;
}

void Params::SetBuffer(const std::string& name,
                       Var next,
                       const char* file,
                       int line) {
  if (!store_->mark->recording()) {
    const Var fault = OfOtherTrace({file, line});
    if (next.valid()) next.tape()->NoteFault(*fault.mark());
    return;
  }
  Tape& tape = *store_->tape;
  const Traced given(next, file, line);
  if (next.mark() != tape.mark().get()) {
    tape.NoteFault(
        *internal::FaultOf(given.var(), {file, line}, "SetBuffer", 2));
    return;
  }
  if (!next.valid()) return;
  if (next.dtype() == DType::kF64 && store_->compute == DType::kF64) {
    next = cast(given, DType::kF32);
  }
  const std::string full = prefix_ + name;
  const auto fail = [&](const auto&... parts) {
    tape.NoteError(
        {file, line}, "buffer", ConfigError("\"", full, "\" ", parts...));
  };
  for (Buffer& buffer : store_->buffers) {
    if (buffer.name != full) continue;
    if (buffer.next.valid()) return fail("is set twice in one step");
    if (next.shape() != buffer.input.shape() || next.dtype() != DType::kF32) {
      return fail("has f32 ",
                  buffer.input.shape(),
                  " and is set to ",
                  next.dtype(),
                  " ",
                  next.shape());
    }
    if (next.varies() != 0) {
      return fail(
          "is set to a value that differs from rank to rank; finish "
          "it with pmean()");
    }
    if (!training()) return;  // an evaluation changes nothing
    buffer.next =
        tape.RecordOne(std::make_shared<BufferOp>(), {&next, 1}, {file, line});
    return;
  }
  fail("is set, but was not declared: call GetBuffer first");
}

void Params::DropInitialValues() {
  for (Parameter& parameter : store_->list) parameter.initial = Tensor();
  for (Buffer& buffer : store_->buffers) buffer.initial = Tensor();
}

}  // namespace gyre

#include "models/params.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "autodiff/ops/collective.h"
#include "core/hash.h"

namespace gyre {
namespace {

Init Filled(float value) {
  return [value](std::span<float> values, const Rng&) {
    std::fill(values.begin(), values.end(), value);
  };
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

Params::Params(Tape& tape, std::uint64_t seed, AxisSet varies)
    : store_(std::make_shared<Store>(Store{&tape, seed, varies, {}})) {}

Params Params::Scope(const std::string& name) const {
  return Params(store_, prefix_ + name + ".");
}

Var Params::Get(const std::string& name, Shape shape, const Init& init,
                const char* file, int line) {
  Tape& tape = *store_->tape;
  const std::string full = prefix_ + name;
  for (const Parameter& known : store_->list) {
    if (known.name != full) continue;
    if (known.initial.shape() == shape) return known.used;
    tape.NoteError({file, line}, "parameter",
                   ConfigError("\"", full, "\" has shape ",
                               known.initial.shape(), " and is asked for as ",
                               shape));
    return Var(&tape, -1);
  }
  Parameter parameter;
  parameter.name = full;
  parameter.input = tape.Input(full, {shape, DType::kF32, 0});
  if (!parameter.input.valid()) return parameter.input;
  parameter.initial = Tensor(DType::kF32, std::move(shape));
  const auto stream = static_cast<std::uint32_t>(Hash64(full));
  init(parameter.initial.data<float>(),
       Rng({.seed = store_->seed, .step = 0, .stream = stream}));
  parameter.used = parameter.input;
  if (store_->varies != 0) {
    parameter.used =
        tape.RecordOne(std::make_shared<VaryOp>(store_->varies),
                       {&parameter.input, 1}, {file, line});
  }
  store_->list.push_back(parameter);
  return parameter.used;
}

}  // namespace gyre

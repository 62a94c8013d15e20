#include "gyre/train/step/stress_loss.h"

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/plan/plan.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/core/finite.h"
#include "gyre/core/log.h"
#include "gyre/core/rng.h"
#include "gyre/train/step/result_check.h"

namespace gyre {

using namespace internal;

namespace {

// A loss, its gradient, and every f32 value on the way, ready to run.
struct LossProgram {
  Tape tape;
  std::map<ValueId, int> place;  // among the plan's results
  ValueId loss = -1;
  ValueId gradient = -1;  // -1: the loss does not depend on the prediction
  std::unique_ptr<Executor> executor;
  std::vector<Tensor> inputs;  // by input of the tape

  // The numbers of a value; empty for one that is not f32.
  std::span<const float> Numbers(ValueId id) const {
    const Value& value = tape.value(id);
    const auto count = static_cast<std::size_t>(value.spec.shape.elements());
    if (value.spec.dtype != DType::kF32) return {};
    if (value.input >= 0) return inputs[value.input].data<float>();
    if (value.constant.has_value()) return value.constant->data<float>();
    const auto it = place.find(id);
    if (it == place.end()) return {};
    return {executor->Result<float>(it->second), count};
  }
  std::int64_t FirstBad(ValueId id) const {
    const std::span<const float> x = Numbers(id);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!IsFinite(x[i])) return static_cast<std::int64_t>(i);
    }
    return -1;
  }
};

Status Build(const LossFunction& loss,
             const std::vector<LossInput>& inputs,
             LossProgram& t) {
  std::map<std::string, Var> batch;
  Var prediction;
  for (const LossInput& input : inputs) {
    const Var var = t.tape.Input(input.name, {input.shape, DType::kF32, 0});
    const bool pred = input.role == InputRole::kPrediction;
    t.tape.MarkAs(var, pred ? kOfPrediction : kOfBatch);
    if (pred) {
      prediction = var;
    } else {
      batch[input.name] = var;
    }
    t.inputs.emplace_back(DType::kF32, input.shape);
  }
  const Var value = loss(prediction, BatchVars(t.tape, std::move(batch)));
  GYRE_RETURN_IF_ERROR(CheckReturned(t.tape, value, "loss"));
  GYRE_RETURN_IF_ERROR(CheckIsScalar(value));
  t.loss = value.id();
  const std::vector<Var> grads =
      Gradients(At(value, LineOf(value)), {&prediction, 1});
  GYRE_RETURN_IF_ERROR(t.tape.FirstError());
  if (grads[0].valid()) t.gradient = grads[0].id();
  std::vector<Var> results;
  for (std::size_t id = 0; id < t.tape.values().size(); ++id) {
    const Value& v = t.tape.values()[id];
    if (v.node < 0 || v.spec.dtype != DType::kF32) continue;
    t.place[static_cast<ValueId>(id)] = static_cast<int>(results.size());
    results.emplace_back(&t.tape, static_cast<ValueId>(id));
  }
  // Every value is kept, so nothing may be joined.
  GYRE_ASSIGN_OR_RETURN(
      auto plan,
      Plan::Compile(
          t.tape, results, {.kernels = KernelSet::kReference, .fuse = false}));
  GYRE_ASSIGN_OR_RETURN(t.executor, Executor::Create(std::move(plan)));
  for (std::size_t i = 0; i < t.inputs.size(); ++i) {
    t.executor->Bind(static_cast<int>(i), t.inputs[i].raw());
  }
  return OkStatus();
}

// The operation where a bad value became so: from it back along bad operands.
LossFinding Trace(const LossProgram& t, ValueId bad) {
  const auto leaf = [&](ValueId id) { return t.tape.value(id).node < 0; };
  for (;;) {
    const Node& node = t.tape.nodes()[t.tape.value(bad).node];
    std::optional<ValueId> before;
    for (const ValueId input : node.inputs) {
      if (!leaf(input) && t.FirstBad(input) >= 0) before = input;
    }
    if (before.has_value()) {
      bad = *before;  // an earlier value each time: this ends
      continue;
    }
    LossFinding finding;
    finding.operation = node.op->name();
    finding.loc = node.loc;
    finding.element = t.FirstBad(bad);
    const std::size_t size = t.Numbers(bad).size();
    for (const ValueId input : node.inputs) {
      const std::span<const float> x = t.Numbers(input);
      if (x.size() == 1) finding.operands.push_back(x[0]);
      if (x.size() > 1 && x.size() == size) {
        finding.operands.push_back(x[finding.element]);
      }
    }
    return finding;
  }
}

// How one case fills an element of an input. `x` is a normal number.
struct Case {
  const char* name;
  std::function<float(InputRole role, std::int64_t i, float x)> fill;
  bool needs_mask = false;
};

float Usual(InputRole role, float x) {
  return role == InputRole::kMask ? 1.0f : x;
}

std::vector<Case> AllCases() {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  const auto both = [](InputRole role) {
    return role == InputRole::kPrediction || role == InputRole::kTarget;
  };
  return {
      {"ordinary numbers",
       [](InputRole role, std::int64_t, float x) { return Usual(role, x); }},
      {"zeros",
       [both](InputRole role, std::int64_t, float x) {
         return both(role) ? 0.0f : Usual(role, x);
       }},
      {"prediction equal to target",
       [both](InputRole role, std::int64_t i, float x) {
         return both(role) ? 0.5f + 0.25f * static_cast<float>(i % 5)
                           : Usual(role, x);
       }},
      {"negative",
       [both](InputRole role, std::int64_t, float x) {
         return both(role) ? -std::abs(x) - 0.1f : Usual(role, x);
       }},
      {"opposite signs",
       [](InputRole role, std::int64_t, float x) {
         if (role == InputRole::kPrediction) return -std::abs(x) - 0.1f;
         if (role == InputRole::kTarget) return std::abs(x) + 0.1f;
         return Usual(role, x);
       }},
      {"huge",
       [](InputRole role, std::int64_t i, float x) {
         if (role != InputRole::kPrediction) return Usual(role, x);
         return i % 2 == 0 ? 1e30f : -1e30f;
       }},
      {"tiny",
       [both](InputRole role, std::int64_t, float x) {
         return both(role) ? 1e-40f : Usual(role, x);
       }},
      {"NaN target where the mask is 0",
       [](InputRole role, std::int64_t i, float x) {
         const bool masked = i % 3 == 0;
         if (role == InputRole::kMask) return masked ? 0.0f : 1.0f;
         return role == InputRole::kTarget && masked ? kNaN : x;
       },
       true},
      {"empty mask",
       [](InputRole role, std::int64_t, float x) {
         return role == InputRole::kMask ? 0.0f : x;
       },
       true},
  };
}

void Fill(const Case& c, const std::vector<LossInput>& inputs, LossProgram& t) {
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Rng rng({.seed = 1, .step = 0, .stream = static_cast<uint32_t>(k)});
    const std::span<float> x = t.inputs[k].data<float>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] =
          c.fill(inputs[k].role, static_cast<std::int64_t>(i), rng.Normal(i));
    }
  }
}

Status RunCases(const LossFunction& loss,
                const std::vector<LossInput>& inputs,
                const std::string& suffix,
                std::vector<LossFinding>& findings) {
  LossProgram t;
  GYRE_RETURN_IF_ERROR(Build(loss, inputs, t));
  if (suffix.empty()) {
    for (const std::string& text : t.tape.warnings()) LogWarning(text);
  }
  bool has_mask = false;
  for (const LossInput& input : inputs) {
    has_mask |= input.role == InputRole::kMask;
  }
  for (const Case& c : AllCases()) {
    if (c.needs_mask && !has_mask) continue;
    Fill(c, inputs, t);
    GYRE_RETURN_IF_ERROR(t.executor->Run({}));
    for (const ValueId result : {t.loss, t.gradient}) {
      const bool read = result >= 0 && t.tape.value(result).node >= 0;
      const std::int64_t bad = read ? t.FirstBad(result) : -1;
      if (bad < 0) continue;
      LossFinding finding = Trace(t, result);
      finding.input_case = c.name + suffix;
      finding.backward = result != t.loss;
      finding.value = t.Numbers(result)[bad];
      findings.push_back(std::move(finding));
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::vector<LossFinding>> StressLoss(
    const LossFunction& loss, const std::vector<LossInput>& inputs) {
  int predictions = 0;
  for (const LossInput& input : inputs) {
    if (input.role == InputRole::kPrediction) ++predictions;
  }
  if (predictions != 1) {
    return ConfigError(
        "StressLoss needs one input with the role of the prediction, got ",
        predictions);
  }
  std::vector<LossFinding> findings;
  GYRE_RETURN_IF_ERROR(RunCases(loss, inputs, "", findings));
  std::vector<LossInput> rows = inputs;
  for (LossInput& input : rows) {
    std::vector<std::int64_t> dims = input.shape.dims();
    if (!dims.empty()) dims[0] = 1;
    input.shape = Shape(std::move(dims));
  }
  GYRE_RETURN_IF_ERROR(RunCases(loss, rows, ", one row", findings));
  return findings;
}

std::string Describe(const std::vector<LossFinding>& findings) {
  std::string text;
  for (const LossFinding& f : findings) {
    text += Cat(f.input_case,
                f.backward ? ": the gradient is " : ": the loss is ",
                f.value,
                ", from ",
                f.operation,
                " (",
                f.loc.ToString(),
                "), element ",
                f.element);
    for (std::size_t i = 0; i < f.operands.size(); ++i) {
      text += Cat(i == 0 ? ", of " : " and ", f.operands[i]);
    }
    text += "\n";
  }
  return text;
}

}  // namespace gyre

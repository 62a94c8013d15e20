#include "gyre/autodiff/grad_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/tape.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/core/finite.h"
#include "gyre/core/rng.h"

namespace gyre {

using namespace internal;

namespace {

Tensor RandomWeights(const Shape& shape, std::uint32_t stream) {
  Tensor weights(DType::kF64, shape);
  const Rng rng({.seed = 20, .step = 0, .stream = stream});
  auto values = weights.data<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 0.5 + rng.Uniform(i);
  }
  return weights;
}

// The contracted function, its gradient, and points to evaluate it at.
class Probe {
 public:
  static StatusOr<std::unique_ptr<Probe>> Create(
      const VarFunction& f,
      const std::vector<Tensor>& inputs,
      const std::vector<int>& wrt,
      const SourceLoc& loc) {
    auto probe = std::make_unique<Probe>();
    Tape tape;
    std::vector<Var> vars;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      vars.push_back(
          tape.Input(Cat("x", i), {inputs[i].shape(), inputs[i].dtype(), 0}));
      probe->points_.push_back(inputs[i].Clone());
    }
    const Located at(loc);
    const Var y = at(f(vars)).var();
    GYRE_RETURN_IF_ERROR(tape.FirstError());
    if (y.mark() != tape.mark().get()) {
      return internal::ErrorOf(*internal::FaultOf(y, loc));
    }
    const Var weights = tape.Constant(RandomWeights(y.shape(), 1));
    std::vector<Var> results = {sum(at(at(y) * at(weights)))};
    std::vector<Var> chosen;
    for (const int i : wrt) chosen.push_back(vars[i]);
    for (const Var& g : Gradients(at(results[0]), chosen)) {
      results.push_back(g);
    }
    GYRE_RETURN_IF_ERROR(tape.FirstError());
    GYRE_ASSIGN_OR_RETURN(auto plan, Plan::Compile(tape, results));
    GYRE_ASSIGN_OR_RETURN(probe->executor_, Executor::Create(plan));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      probe->executor_->Bind(static_cast<int>(i), probe->points_[i].raw());
    }
    return probe;
  }

  StatusOr<double> Value() {
    GYRE_RETURN_IF_ERROR(executor_->Run({}));
    return *executor_->Result<double>(0);
  }
  // After Value(): the gradient by the i-th of `wrt`.
  Tensor Gradient(int i) const { return executor_->ResultTensor(i + 1); }
  std::span<double> Point(int input) { return points_[input].data<double>(); }

 private:
  std::vector<Tensor> points_;
  std::unique_ptr<Executor> executor_;
};

// (f(x + h d) - f(x - h d)) / 2h, where move(s) puts x + s d in place.
template <class Move>
StatusOr<double> CentralDifference(Probe& probe, double h, const Move& move) {
  move(h);
  GYRE_ASSIGN_OR_RETURN(const double above, probe.Value());
  move(-h);
  GYRE_ASSIGN_OR_RETURN(const double below, probe.Value());
  move(0);
  return (above - below) / (2 * h);
}

void Compare(int input,
             std::int64_t element,
             double analytic,
             double numeric,
             GradReport& report) {
  double error =
      std::abs(analytic - numeric) / std::max(1.0, std::abs(numeric));
  // A NaN agrees with nothing but another NaN.
  if (!IsFinite(error)) {
    error = std::isnan(analytic) && std::isnan(numeric)
                ? 0
                : std::numeric_limits<double>::infinity();
  }
  if (error >= report.worst) {
    report.worst = error;
    report.input = input;
    report.element = element;
    report.analytic = analytic;
    report.numeric = numeric;
  }
}

Status CheckElements(Probe& probe,
                     const GradCheckOptions& options,
                     const std::vector<Tensor>& gradients,
                     const std::vector<int>& wrt,
                     GradReport& report) {
  for (std::size_t k = 0; k < wrt.size(); ++k) {
    const auto x = probe.Point(wrt[k]);
    const auto gradient = gradients[k].data<double>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double at = x[i];
      const double h = options.step * std::max(1.0, std::abs(at));
      GYRE_ASSIGN_OR_RETURN(
          const double numeric,
          CentralDifference(probe, h, [&](double s) { x[i] = at + s; }));
      Compare(
          wrt[k], static_cast<std::int64_t>(i), gradient[i], numeric, report);
    }
  }
  return OkStatus();
}

Status CheckDirection(Probe& probe,
                      const GradCheckOptions& options,
                      const std::vector<Tensor>& gradients,
                      const std::vector<int>& wrt,
                      GradReport& report) {
  std::vector<Tensor> directions;
  std::vector<Tensor> origins;
  double analytic = 0;
  for (std::size_t k = 0; k < wrt.size(); ++k) {
    directions.push_back(
        RandomWeights(gradients[k].shape(), static_cast<std::uint32_t>(k + 2)));
    Tensor origin(DType::kF64, gradients[k].shape());
    std::copy_n(probe.Point(wrt[k]).begin(),
                origin.elements(),
                origin.data<double>().begin());
    origins.push_back(origin);
    const auto d = directions[k].data<double>();
    const auto g = gradients[k].data<double>();
    analytic += std::inner_product(d.begin(), d.end(), g.begin(), 0.0);
  }
  GYRE_ASSIGN_OR_RETURN(const double numeric,
                        CentralDifference(probe, options.step, [&](double s) {
                          for (std::size_t k = 0; k < wrt.size(); ++k) {
                            const auto x = probe.Point(wrt[k]);
                            const auto x0 = origins[k].data<double>();
                            const auto d = directions[k].data<double>();
                            for (std::size_t i = 0; i < x.size(); ++i)
                              x[i] = x0[i] + s * d[i];
                          }
                        }));
  Compare(-1, -1, analytic, numeric, report);
  return OkStatus();
}

// Others than those to check may be of any type: indices, masks.
Status CheckInputs(const std::vector<Tensor>& inputs,
                   const std::vector<int>& wrt,
                   const SourceLoc& loc) {
  const auto count = static_cast<int>(inputs.size());
  for (const int i : wrt) {
    if (i < 0 || i >= count) {
      return ConfigError(
          loc, ": GradCheck of input ", i, ", and f has ", count, " inputs");
    }
    if (inputs[i].dtype() == DType::kF64) continue;
    return ConfigError(loc,
                       ": GradCheck wants f64 tensors; input ",
                       i,
                       " is ",
                       inputs[i].dtype());
  }
  return OkStatus();
}

Status Check(const VarFunction& f,
             const std::vector<Tensor>& inputs,
             const GradCheckOptions& options,
             const SourceLoc& loc,
             GradReport& report) {
  std::vector<int> wrt = options.wrt;
  if (wrt.empty()) {
    wrt.resize(inputs.size());
    std::iota(wrt.begin(), wrt.end(), 0);
  }
  GYRE_RETURN_IF_ERROR(CheckInputs(inputs, wrt, loc));
  GYRE_ASSIGN_OR_RETURN(const auto probe, Probe::Create(f, inputs, wrt, loc));
  GYRE_RETURN_IF_ERROR(probe->Value().status());
  std::vector<Tensor> gradients;
  for (std::size_t k = 0; k < wrt.size(); ++k) {
    gradients.push_back(probe->Gradient(static_cast<int>(k)));
  }
  GYRE_RETURN_IF_ERROR(CheckElements(*probe, options, gradients, wrt, report));
  return CheckDirection(*probe, options, gradients, wrt, report);
}

}  // namespace

GradReport GradCheck(const VarFunction& f,
                     const std::vector<Tensor>& inputs,
                     const GradCheckOptions& options,
                     const char* file,
                     int line) {
  GradReport report;
  const Status status = Check(f, inputs, options, {file, line}, report);
  if (!status.ok()) {
    report.text = Message(status);
    return report;
  }
  report.ok = report.worst <= options.tolerance;
  const std::string place =
      report.input < 0
          ? "along a random direction"
          : Cat("at input ", report.input, ", element ", report.element);
  report.text = Cat("worst gradient ",
                    place,
                    ": analytic ",
                    report.analytic,
                    ", numeric ",
                    report.numeric,
                    ", relative error ",
                    report.worst,
                    " (tolerance ",
                    options.tolerance,
                    ")");
  return report;
}

}  // namespace gyre

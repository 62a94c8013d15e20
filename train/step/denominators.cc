#include "gyre/train/step/denominators.h"

#include <utility>

#include "gyre/core/finite.h"

namespace gyre::internal::inline train {

void Denominators::AddTo(const Tape& tape, std::vector<Var>& results) {
  for (const Denominator& d : tape.denominators()) {
    const DType dtype = tape.value(d.value).spec.dtype;
    if (dtype != DType::kF32 && dtype != DType::kF64) continue;
    Item item{d.loc, dtype, static_cast<int>(results.size())};
    if (d.pooled >= 0) {
      item.input = tape.value(d.pooled).input;
      item.pooled = std::make_unique<Scalar>();
    }
    items_.push_back(std::move(item));
    results.emplace_back(const_cast<Tape*>(&tape), d.value);
  }
}

double Denominators::Computed(const Executor& executor,
                              const Item& item) const {
  return item.dtype == DType::kF64 ? *executor.Result<double>(item.result)
                                   : *executor.Result<float>(item.result);
}

double Denominators::Value(const Executor& executor, std::size_t i) const {
  const Item& item = items_[i];
  if (item.pooled == nullptr) return Computed(executor, item);
  return item.dtype == DType::kF64 ? item.pooled->f64 : item.pooled->f32;
}

// One after the other, since a weight may be made with an earlier mean.
Status Denominators::Pool(Executor& executor,
                          int parts,
                          const std::function<StepContext(int part)>& prepare) {
  for (Item& item : items_) {
    if (item.pooled == nullptr) continue;
    double sum = 0;
    int finite = 0;
    for (int part = 0; part < parts; ++part) {
      const StepContext context = prepare(part);
      GYRE_RETURN_IF_ERROR(executor.RunFor(item.result, context));
      const double computed = Computed(executor, item);
      if (!IsFinite(computed)) continue;
      sum += computed;
      ++finite;
    }
    // A bad weight is bad in its own part, which the guard leaves out, and the
    // mean is that of the others. A mean that is NaN would count as nothing to
    // average: a loss of 0 in all parts, and nothing for the guard to find.
    const double mean = finite > 0 ? sum / finite : 1;
    if (item.dtype == DType::kF64) {
      item.pooled->f64 = mean;
    } else {
      item.pooled->f32 = static_cast<float>(mean);
    }
  }
  return OkStatus();
}

}  // namespace gyre::internal::inline train

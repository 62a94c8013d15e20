// An operation of one's own with its own gradient, checked, then trained.

#include <gyre/check.h>
#include <gyre/loss.h>

#include <cmath>
#include <cstdio>

#include "apps/examples/train_example.h"

// y = limit * tanh(x / limit): like x when small, never beyond the limit.
struct SoftClip {
  static constexpr std::string_view kName = "soft_clip";
  float limit = 1.0f;

  gyre::StatusOr<gyre::Shape> InferShape(
      std::span<const gyre::Shape> in) const {
    return in[0];
  }
  // The backward pass wants tanh(x / limit).
  std::vector<gyre::Shape> Saved(std::span<const gyre::Shape> in) const {
    return {in[0]};
  }
  std::string Describe() const { return gyre::Cat("limit=", limit); }

  template <class T>
  void Forward(const gyre::CustomForward<T>& a) const {
    for (std::int64_t i = 0; i < a.y.size(); ++i) {
      a.saved[0][i] = std::tanh(a.x[0][i] / limit);
      a.y[i] = limit * a.saved[0][i];
    }
  }
  template <class T>
  void Backward(const gyre::CustomBackward<T>& a) const {
    for (std::int64_t i = 0; i < a.dy.size(); ++i) {
      const T t = a.saved[0][i];
      a.dx[0][i] += a.dy[i] * (1 - t * t);
    }
  }
};

int main() {
  const gyre::GradReport report = gyre::GradCheck(
      [](std::span<const gyre::Var> x) { return custom(SoftClip{0.7f}, x[0]); },
      {gyre::Tensor::Of<double>({4}, {-2.0, -0.1, 0.3, 1.5})});
  std::printf("custom_op: %s\n", report.text.c_str());
  if (!report.ok) return 8;

  return gyre::examples::TrainExample(
      "custom_op", [](gyre::Var pred, const gyre::BatchVars& batch) {
        return mean(square(custom(SoftClip{2.0f}, pred - batch["y"])));
      });
}

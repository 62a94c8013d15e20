// Twenty steps of the stages that look at whole tensors against Optax: in
// double, and in float by the passes of training.
// tests/golden/optim/make_tensor_golden.py made the numbers.

#include "tests/golden/optim/tensor_golden.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "gyre/optim/adafactor.h"
#include "gyre/optim/clip_adaptive.h"
#include "gyre/optim/clip_tensor.h"
#include "gyre/optim/lamb.h"
#include "gyre/optim/sgd.h"
#include "tests/optim/flat_world.h"

namespace gyre::optim {

using namespace internal;

namespace {

using GoldenTensorGolden = const double (&)[kTensorGoldenSteps][8];

constexpr double kStartTensorGolden[] = {
    0.5, -1.25, 0.75, 1.5, -0.5, 0.25, 2.0, -0.125};

double GradientTensorGolden(int i, int step, double p) {
  return std::cos(3.0 * i + step) + p / 4;
}

FlatLayout LayoutTensorGolden() {
  FlatLayout layout;
  EXPECT_TRUE(layout.Add("w", {2, 3}).ok());
  EXPECT_TRUE(layout.Add("b", {2}).ok());
  return layout;
}

// One tensor in double, old and new.
template <class Opt>
struct DoubleTensor {
  DoubleTensor(const Opt& optimizer, const FlatLayout& layout, int tensor)
      : opt(optimizer), slot(layout[tensor]) {
    for (const FlatLayout& state : opt.MakeStateLayouts(layout)) {
      sizes.push_back(state[tensor].size);
      states.emplace_back(sizes.back(), 0.0);
    }
    traits = opt.MakeTraits(layout)[tensor];
    params.resize(slot.size);
  }

  void Step(const std::vector<double>& grads, int step) {
    std::vector<double> new_params(params.size());
    std::vector<std::vector<double>> new_states = states;
    detail::Segment<Opt::kStates, double> seg{.grad = grads.data(),
                                              .param = params.data(),
                                              .new_param = new_params.data(),
                                              .size = slot.size};
    for (int k = 0; k < Opt::kStates; ++k) {
      seg.state[k] = states[k].data();
      seg.new_state[k] = new_states[k].data();
    }
    EXPECT_TRUE(opt.UpdateTensor(
        seg, {slot.shape, sizes}, {}, opt.Prepare(step), traits));
    params = new_params;
    states = new_states;
  }

  const Opt& opt;
  const TensorSlot slot;
  TensorTraits traits;
  std::vector<std::int64_t> sizes;
  std::vector<std::vector<double>> states;
  std::vector<double> params;
};

template <class Opt>
void CheckDoubleTensorGolden(const Opt& opt, GoldenTensorGolden golden) {
  const FlatLayout layout = LayoutTensorGolden();
  DoubleTensor<Opt> tensors[] = {{opt, layout, 0}, {opt, layout, 1}};
  std::copy(
      kStartTensorGolden, kStartTensorGolden + 6, tensors[0].params.begin());
  std::copy(kStartTensorGolden + 6,
            kStartTensorGolden + 8,
            tensors[1].params.begin());
  for (int step = 0; step < kTensorGoldenSteps; ++step) {
    for (int t = 0, i = 0; t < 2; ++t) {
      const int first = i;
      std::vector<double> grads;
      for (const double p : tensors[t].params) {
        grads.push_back(GradientTensorGolden(i++, step, p));
      }
      tensors[t].Step(grads, step);
      for (std::size_t j = 0; j < grads.size(); ++j) {
        ASSERT_NEAR(tensors[t].params[j], golden[step][first + j], 1e-10)
            << "element " << first + j << ", step " << step;
      }
    }
  }
}

void CheckFloatTensorGolden(const AnyOptimizer& opt,
                            GoldenTensorGolden golden) {
  FlatWorld w(LayoutTensorGolden(), opt);
  const auto place = [](int i) { return i < 6 ? i : 10 + i; };
  for (int i = 0; i < 8; ++i) w.params()[place(i)] = kStartTensorGolden[i];
  Verdict v;
  for (int step = 0; step < kTensorGoldenSteps; ++step) {
    for (int i = 0; i < 8; ++i) {
      const int at = place(i);
      w.grads()[at] = GradientTensorGolden(i, step, w.params()[at]);
    }
    ASSERT_TRUE(w.Step(1, &v).ok());
    for (int i = 0; i < 8; ++i) {
      ASSERT_NEAR(w.params()[place(i)], golden[step][i], 3e-6)
          << "element " << i << ", step " << step;
    }
  }
}

template <class Opt>
void CheckTensorGolden(const Opt& opt, GoldenTensorGolden golden) {
  ASSERT_TRUE(opt.Validate().ok()) << Message(opt.Validate());
  CheckDoubleTensorGolden(opt, golden);
  CheckFloatTensorGolden(opt, golden);
}

TEST(TensorGoldenTest, Lamb) {
  CheckTensorGolden(Chain(Guard{}, Lamb(Constant{0.05}, {.weight_decay = 0.1})),
                    kGoldenLamb);
}

TEST(TensorGoldenTest, Adafactor) {
  CheckTensorGolden(Chain(Guard{}, Adafactor(Constant{0.1}, {.min_side = 2})),
                    kGoldenAdafactor);
}

TEST(TensorGoldenTest, ClipAdaptive) {
  CheckTensorGolden(Chain(Guard{},
                          ClipAdaptive{.limit = 0.1},
                          ScaleByMomentum{.momentum = 0.5},
                          Scale{-0.1}),
                    kGoldenClipAdaptive);
}

TEST(TensorGoldenTest, ClipTensorNorm) {
  CheckTensorGolden(
      Chain(Guard{}, ClipTensorNorm{.limit = 0.5}, Adam(Constant{0.1})),
      kGoldenClipTensorNorm);
}

TEST(TensorGoldenTest, Schedules) {
  const StepDecay steps{.from = 0.2, .factor = 0.3, .every = 6};
  const Polynomial polynomial{.from = 0.2, .power = 2, .steps = 15};
  const WarmupStableDecay stable{.peak = 0.2,
                                 .warmup = 4,
                                 .decay_from = 10,
                                 .total = 16,
                                 .start = 0.02,
                                 .end = 0.01};
  for (int i = 0; i < kTensorGoldenSteps; ++i) {
    EXPECT_NEAR(steps(i), kGoldenStepDecay[i], 1e-12) << i;
    EXPECT_NEAR(polynomial(i), kGoldenPolynomial[i], 1e-12) << i;
    EXPECT_NEAR(stable(i), kGoldenStableDecay[i], 1e-12) << i;
  }
}

}  // namespace
}  // namespace gyre::optim

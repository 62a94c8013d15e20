#include "gyre/autodiff/plan/hoist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/ops/elementwise.h"

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;

// Stands for a collective that is posted.
class EarlyOp final : public Op {
 public:
  explicit EarlyOp(bool early) : early_(early) {}
  std::string_view name() const override { return "post"; }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec>) const override {
    return OneOutput(Shape(), DType::kU8);
  }
  std::vector<Var> Vjp(const VjpArgs& args) const override {
    return std::vector<Var>(args.inputs.size());
  }
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest&) const override {
    return InternalError("not run here");
  }
  bool has_effect() const override { return true; }
  bool moves_data() const override { return true; }
  bool runs_early() const override { return early_; }

 private:
  bool early_;
};

std::vector<std::string> Names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) names.emplace_back(node.op->name());
  return names;
}

// x -> exp -> log -> sin, and posts of the first two at the end.
std::vector<std::string> Order(bool early, bool first_is_read_late) {
  Tape tape;
  const Var x = tape.Input("x", {{4}, DType::kF32, 0});
  const Var a = exp(x);
  const Var b = log(a);
  Var c = sin(b);
  if (first_is_read_late) c = cos(a);
  const Var inputs_a[] = {a};
  const Var done =
      tape.RecordOne(std::make_shared<EarlyOp>(early), inputs_a, {});
  const Var inputs_b[] = {done, b};
  tape.RecordOne(std::make_shared<EarlyOp>(early), inputs_b, {});
  Graph graph = GraphOf(tape, {c.id()});
  HoistEarlyNodes(graph);
  return Names(graph);
}

TEST(Hoist, BeginsWhenAllIsThere) {
  EXPECT_THAT(Order(false, false),
              ElementsAre("exp", "log", "sin", "post", "post"));
  EXPECT_THAT(Order(true, false),
              ElementsAre("exp", "log", "post", "sin", "post"));
}

// It may change its inputs where they lie.
TEST(Hoist, WaitsForTheLastReader) {
  EXPECT_THAT(Order(true, true),
              ElementsAre("exp", "log", "sin", "cos", "post", "post"));
}

}  // namespace
}  // namespace gyre::internal::inline tests

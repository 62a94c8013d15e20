// The programs of layouts.h in f64, where an error of a formula cannot hide
// behind rounding: gradients on every mesh are those of one rank.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/ops/mesh_moves.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/plan/plan.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/collectives/local/local_world.h"
#include "tests/train/layouts.h"

namespace gyre::internal::inline tests {
namespace {

struct Traced64 {
  explicit Traced64(const Mesh& mesh, AxisSet batch_axes)
      : tape(&mesh), params(tape, 3, batch_axes, DType::kF64) {}

  Tape tape;
  Params params;
  std::vector<Tensor> bound;  // by input
};

// The sum over the ranks, whole.
Var WholeGradient(const Program& program, const Parameter& p, Var grad) {
  const Mesh& mesh = *grad.tape()->mesh();
  std::vector<std::string> axes;
  for (const std::string& name : program.batch_axes) {
    const AxisSet axis = *mesh.Axes({name});
    if ((axis & p.part.axes) == 0) axes.push_back(name);
  }
  if (!axes.empty()) grad = psum(grad, axes);
  for (const MeshAxis& axis : mesh.axes()) {
    if ((*mesh.Axes({axis.name}) & p.part.axes) == 0) continue;
    grad = all_gather_same(grad, axis.name, p.part.dim);
  }
  return grad;
}

// Loss and gradients of the first batch, by name.
StatusOr<std::map<std::string, Tensor>> Gradients64(Communicator& comm,
                                                    const MeshShape& shape,
                                                    const Program& program) {
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                        Mesh::Create(comm,
                                     {{"data", shape.data},
                                      {"model", shape.model},
                                      {"space", shape.space}}));
  const AxisSet batch_axes = *mesh.Axes(program.batch_axes);
  Traced64 traced(mesh, batch_axes);
  std::map<std::string, Var> vars;
  const SampleBatch batch = program.load(mesh, 0);
  for (const auto& [name, tensor] : batch.tensors) {
    const Var input =
        traced.tape.Input(name, {tensor.shape(), tensor.dtype(), batch_axes});
    vars[name] = cast(input, DType::kF64);
    traced.bound.push_back(tensor);
  }
  const BatchVars b(traced.tape, vars, true);
  const Var loss = program.loss(program.model(traced.params, b), b);
  std::vector<Var> seen;
  for (const Parameter& p : traced.params.all()) {
    seen.push_back(p.seen);
    traced.bound.push_back(p.initial);
  }
  std::vector<Var> results = {loss};
  const std::vector<Var> grads = Gradients(loss, seen);
  for (std::size_t i = 0; i < grads.size(); ++i) {
    results.push_back(WholeGradient(program, traced.params.all()[i], grads[i]));
  }
  GYRE_ASSIGN_OR_RETURN(auto plan, Plan::Compile(traced.tape, results));
  GYRE_ASSIGN_OR_RETURN(auto executor, Executor::Create(plan));
  for (std::size_t i = 0; i < traced.bound.size(); ++i) {
    executor->Bind(static_cast<int>(i), traced.bound[i].raw());
  }
  GYRE_RETURN_IF_ERROR(executor->Run({&mesh, 0}));
  std::map<std::string, Tensor> out = {{"loss", executor->ResultTensor(0)}};
  for (std::size_t i = 0; i < grads.size(); ++i) {
    out[traced.params.all()[i].name] =
        executor->ResultTensor(static_cast<int>(i) + 1);
  }
  return out;
}

std::map<std::string, Tensor> OnRanks(const MeshShape& shape,
                                      const Program& program) {
  std::map<std::string, Tensor> first;
  LocalWorld world(shape.ranks());
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(auto mine, Gradients64(comm, shape, program));
    if (comm.rank() == shape.ranks() - 1) first = std::move(mine);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << program.name << ", " << shape.ToString() << ": "
                           << Message(status);
  return first;
}

// Of one tensor, by the largest number of all.
double Difference64(const std::map<std::string, Tensor>& a,
                    const std::map<std::string, Tensor>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0, difference = 0;
  for (const auto& [name, tensor] : a) {
    EXPECT_EQ(tensor.dtype(), DType::kF64) << name;
    EXPECT_EQ(tensor.shape(), b.at(name).shape()) << name;
    const std::span<const double> x = tensor.data<double>();
    const std::span<const double> y = b.at(name).data<double>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      largest = std::max(largest, std::abs(x[i]));
      difference = std::max(difference, std::abs(x[i] - y[i]));
    }
  }
  EXPECT_GT(largest, 0);
  return difference / largest;
}

class LayoutsF64Test : public testing::TestWithParam<int> {};

TEST_P(LayoutsF64Test, EveryMeshHasTheGradientsOfOneRank) {
  const Program program = AllPrograms()[GetParam()];
  const auto alone = OnRanks({}, program);
  for (const MeshShape& shape : AllShapes()) {
    EXPECT_LT(Difference64(alone, OnRanks(shape, program)), 1e-12)
        << program.name << ", " << shape.ToString();
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, LayoutsF64Test, testing::Range(0, 6));

}  // namespace
}  // namespace gyre::internal::inline tests

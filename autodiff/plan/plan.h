// The compiled tape: an order, a place for every value, and no decisions left.
//
//   GYRE_ASSIGN_OR_RETURN(const auto plan, Plan::Compile(tape, {loss}));
//   std::cout << plan->Explain();
//   GYRE_ASSIGN_OR_RETURN(auto executor, Executor::Create(plan));
//
// A plan is immutable and may be shared by the ranks of one process; each
// has an Executor of its own.

#ifndef GYRE_AUTODIFF_PLAN_PLAN_H_
#define GYRE_AUTODIFF_PLAN_PLAN_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gyre/autodiff/exec/jit_code.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/plan/graph.h"
#include "gyre/autodiff/plan/memory.h"
#include "gyre/autodiff/tape.h"

namespace gyre::internal::inline autodiff {

struct PlanOptions {
  KernelSet kernels = KernelSet::kFast;
  bool fuse = true;  // join chains of elementwise operations
  // Generate the loops of elementwise operations where the machine allows it;
  // to the same bits as interpreted. GYRE_JIT=0 in the environment forbids it.
  bool jit = true;
  // To look at a step while it runs (autodiff/exec/cause_finder.h): operands
  // stay until their operation is done; operations with an effect are left
  // out.
  bool in_place = true;
  bool effects = true;
  std::vector<Placement> placements = {};

  bool generates_code() const {
    return jit && kernels == KernelSet::kFast && JitAvailable();
  }
};

class Plan {
 public:
  // Compiles what `results` need, and every operation with an effect. Errors:
  // the first error of the trace, with its line; a result of another tape, or
  // of none; a GYRE_JIT that is no switch.
  static StatusOr<std::shared_ptr<const Plan>> Compile(
      const Tape& tape,
      std::span<const Var> results,
      const PlanOptions& options = {});

  const Graph& graph() const { return graph_; }
  const MemoryPlan& memory() const { return memory_; }
  const PlanOptions& options() const { return options_; }
  const Mesh* mesh() const { return mesh_; }

  // The position of the named input. Error: none of that name.
  StatusOr<int> InputIndex(std::string_view name) const;

  // The plan as a person reads it.
  std::string Explain() const;

  // One line per operation with its source line: what ranks compare before
  // step 0, and the hash of it.
  std::vector<std::string> Listing() const;
  std::uint64_t Fingerprint() const;

 private:
  Plan(Graph graph, MemoryPlan memory, PlanOptions options, const Mesh* mesh)
      : graph_(std::move(graph)),
        memory_(std::move(memory)),
        options_(std::move(options)),
        mesh_(mesh) {}

  Graph graph_;
  MemoryPlan memory_;
  PlanOptions options_;
  const Mesh* mesh_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_PLAN_PLAN_H_

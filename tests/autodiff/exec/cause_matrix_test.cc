// Every operation, forward and backward, made to give NaN, +Inf or -Inf on one
// of several ranks: the finder must name it, its element and that rank.

#include <cxxabi.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <set>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "gyre/autodiff/exec/cause_finder.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/number_view.h"
#include "gyre/autodiff/ops/arg_reduce_op.h"
#include "gyre/autodiff/ops/collective_op.h"
#include "gyre/autodiff/ops/elementwise_op.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/core/half.h"
#include "gyre/mesh/mesh.h"
#include "tests/autodiff/exec/cause_cases.h"
#include "tests/lint/source_tree.h"
#include "tests/support/backends.h"

namespace gyre::internal::inline tests {
namespace {

constexpr double kBadNumbers[] = {std::numeric_limits<double>::quiet_NaN(),
                                  std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity()};

struct Target {
  const Node* node = nullptr;
  int visit = 0;  // which operation of the run
  int output = 0;
  TensorSpec spec;
  // An operand holds an infinity that the program itself put there, to mask
  // something out; one more cannot be told from what follows from that.
  bool masked = false;
  std::int64_t element = 0;  // that is finite without the fault
};

// All results of floats, of a run in which nothing is wrong.
class Listing final : public StepObserver {
 public:
  explicit Listing(const Graph& graph) : graph_(graph) {}
  void After(const Node& node, const KernelArgs& args) override {
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
      const TensorSpec& spec = graph_.values[node.outputs[k]].spec;
      const NumberView out(args.out[k], spec);
      const std::int64_t element = FiniteElement(out);
      if (element < 0) continue;
      targets.push_back({&node, visits_, static_cast<int>(k), spec});
      targets.back().masked = !IsElementwise(node) && HasInfinity(node, args);
      targets.back().element = element;
    }
    ++visits_;
  }
  std::vector<Target> targets;

 private:
  // From the middle on; -1: none.
  static std::int64_t FiniteElement(const NumberView& numbers) {
    for (std::int64_t i = 0; i < numbers.size(); ++i) {
      const std::int64_t at = (i + numbers.size() / 2) % numbers.size();
      if (std::isfinite(numbers[at])) return at;
    }
    return -1;
  }
  static bool IsElementwise(const Node& node) {
    return dynamic_cast<const ElementwiseOp*>(node.op.get()) != nullptr;
  }
  bool HasInfinity(const Node& node, const KernelArgs& args) const {
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      const NumberView in(args.in[k], graph_.values[node.inputs[k]].spec);
      if (in.FindBad().count > 0) return true;
    }
    return false;
  }

  const Graph& graph_;
  int visits_ = 0;
};

void Write(void* data, DType dtype, std::int64_t i, double value) {
  const auto narrow = static_cast<float>(value);
  switch (dtype) {
    case DType::kF64:
      static_cast<double*>(data)[i] = value;
      return;
    case DType::kF16:
      static_cast<Half*>(data)[i] = Half(narrow);
      return;
    case DType::kBF16:
      static_cast<BFloat16*>(data)[i] = BFloat16(narrow);
      return;
    default:
      static_cast<float*>(data)[i] = narrow;
  }
}

// A fault of one operation.
class Spoiler final : public StepObserver {
 public:
  Spoiler(const Target& target, double value)
      : target_(target), value_(value) {}
  void After(const Node&, const KernelArgs& args) override {
    if (visits_++ != target_.visit) return;
    Write(
        args.out[target_.output], target_.spec.dtype, target_.element, value_);
  }

 private:
  const Target& target_;
  const double value_;
  int visits_ = 0;
};

struct Tally {
  int named = 0;
  int harmless = 0;  // a comparison or a saturation took the number out
  int masked = 0;    // infinities that may be the program's: Target::masked
  std::set<std::string> operations;
  std::set<std::string> classes;
};

// "PointwiseOp" of "gyre::internal::PointwiseOp<gyre::Huber, 2>".
std::string ClassName(const Op& op) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(typeid(op).name(), nullptr, nullptr, &status),
      std::free);
  std::string name = status == 0 ? text.get() : "";
  name = name.substr(0, name.find('<'));
  const auto colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

// One case on one rank.
class Program {
 public:
  static StatusOr<std::unique_ptr<Program>> Make(const CauseCase& test,
                                                 const Mesh& mesh);
  // All faults of it, on one rank each. Collective.
  Status Run(Tally& tally);

 private:
  Program(const CauseCase& test, const Mesh& mesh)
      : name_(test.name), mesh_(mesh), inputs_(test.inputs) {}
  Status Spoil(const Target& target, double value, int rank, Tally& tally);
  Status Check(const Target& target,
               const std::optional<Cause>& cause,
               std::span<const CauseMark> marks,
               int rank) const;
  bool ResultsFinite() const;

  const std::string name_;
  const Mesh& mesh_;
  std::vector<Tensor> inputs_;
  std::unique_ptr<CauseFinder> finder_;
};

StatusOr<std::unique_ptr<Program>> Program::Make(const CauseCase& test,
                                                 const Mesh& mesh) {
  std::unique_ptr<Program> program(new Program(test, mesh));
  Tape tape(&mesh);
  std::vector<Var> vars, floats;
  for (Tensor& x : program->inputs_) {
    x = x.Clone();
    const AxisSet varies = IsFloat(x.dtype()) ? mesh.all_axes() : 0;
    vars.push_back(
        tape.Input(Cat("x", vars.size()), {x.shape(), x.dtype(), varies}));
    if (varies != 0) floats.push_back(vars.back());
  }
  const Var y = test.f(vars);
  GYRE_RETURN_IF_ERROR(tape.FirstError());
  Tensor weights(y.dtype(), y.shape());
  for (std::int64_t i = 0; i < weights.elements(); ++i) {
    Write(weights.raw(), y.dtype(), i, 0.5 + 0.01 * static_cast<double>(i));
  }
  const Var loss = sum(y * tape.Constant(weights));
  std::vector<Var> results = {loss};
  for (const Var& g : Gradients(loss, floats)) results.push_back(g);
  GYRE_ASSIGN_OR_RETURN(program->finder_,
                        CauseFinder::Create(tape, results, {}));
  for (std::size_t i = 0; i < vars.size(); ++i) {
    program->finder_->Bind(static_cast<int>(i), program->inputs_[i].raw());
  }
  return program;
}

bool Program::ResultsFinite() const {
  const Graph& graph = finder_->executor().plan().graph();
  for (std::size_t i = 0; i < graph.results.size(); ++i) {
    const Tensor result = finder_->executor().ResultTensor(static_cast<int>(i));
    const TensorSpec spec = {result.shape(), result.dtype()};
    if (NumberView(result.raw(), spec).FindBad().count > 0) return false;
  }
  return true;
}

// What a rank that is wrong about itself says.
Status Program::Check(const Target& target,
                      const std::optional<Cause>& cause,
                      std::span<const CauseMark> marks,
                      int rank) const {
  const auto wrong = [&](const auto&... what) {
    return InternalError(name_,
                         ": ",
                         target.node->op->name(),
                         " (",
                         Name(target.node->phase),
                         ") output ",
                         target.output,
                         " on rank ",
                         rank,
                         ": ",
                         what...,
                         cause.has_value() ? cause->Describe() : "");
  };
  if (FirstRank(marks) != rank) return wrong("another rank is named; ");
  if (mesh_.rank() != rank) {
    const bool innocent = !cause.has_value() || cause->received;
    return innocent ? OkStatus() : wrong("an innocent rank says: ");
  }
  const Node& node = *target.node;
  if (cause->name != node.op->name() || cause->phase != node.phase ||
      cause->loc.ToString() != node.loc.ToString() ||
      cause->element != target.element || cause->is_input ||
      cause->received != node.op->moves_data()) {
    return wrong("it says: ");
  }
  return OkStatus();
}

Status Program::Spoil(const Target& target,
                      double value,
                      int rank,
                      Tally& tally) {
  Spoiler spoiler(target, value);
  GYRE_ASSIGN_OR_RETURN(
      const auto cause,
      finder_->Find({&mesh_, 0}, mesh_.rank() == rank ? &spoiler : nullptr));
  const bool finite = ResultsFinite();
  const bool harmed = cause.has_value() && cause->result >= 0;
  if (harmed == finite) {
    return InternalError(
        name_, ": results are finite: ", finite, ", found: ", harmed);
  }
  struct Told {
    std::int64_t found, received, sent, harmed, order;
  };
  const Told mine = {cause.has_value(),
                     cause.has_value() && cause->received,
                     cause.has_value() && cause->sent,
                     harmed,
                     cause.has_value() ? cause->order : 0};
  std::vector<Told> all(mesh_.size());
  GYRE_RETURN_IF_ERROR(
      mesh_.world().AllGather(&mine, all.data(), 5, DType::kI64, {}));
  std::vector<CauseMark> marks;
  for (const Told& told : all) {
    marks.push_back({.found = told.found != 0,
                     .received = told.received != 0,
                     .sent = told.sent != 0,
                     .harmed = told.harmed != 0,
                     .order = static_cast<int>(told.order)});
  }
  if (!FirstRank(marks).has_value()) {
    ++tally.harmless;
    return OkStatus();
  }
  ++tally.named;
  return Check(target, cause, marks, rank);
}

Status Program::Run(Tally& tally) {
  const Graph& graph = finder_->executor().plan().graph();
  Listing listing(graph);
  GYRE_ASSIGN_OR_RETURN(const auto nothing,
                        finder_->Find({&mesh_, 0}, &listing));
  if (nothing.has_value()) {
    return InternalError(name_, ": without a fault: ", nothing->Describe());
  }
  for (std::size_t i = 0; i < listing.targets.size(); ++i) {
    const Target& target = listing.targets[i];
    tally.operations.insert(std::string(target.node->op->name()));
    tally.classes.insert(ClassName(*target.node->op));
    for (int v = 0; v < 3; ++v) {
      if (target.masked && !std::isnan(kBadNumbers[v])) {
        ++tally.masked;
        continue;
      }
      const int rank = (static_cast<int>(i) + v) % mesh_.size();
      GYRE_RETURN_IF_ERROR(Spoil(target, kBadNumbers[v], rank, tally));
    }
  }
  return OkStatus();
}

// The tally of rank 0, where that is a thread of this process.
Tally RunMatrix(const std::string& backend, int ranks) {
  Tally result;
  const Status ran = RunOn(backend, ranks, [&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", -1}}));
    Tally tally;
    for (const CauseCase& test : CauseCases(ranks)) {
      const int before = tally.named;
      GYRE_ASSIGN_OR_RETURN(auto program, Program::Make(test, mesh));
      GYRE_RETURN_IF_ERROR(program->Run(tally));
      if (tally.named == before) {
        return InternalError(test.name, ": no fault of it did any harm");
      }
    }
    if (comm.rank() == 0) {
      std::printf(
          "%s, %d ranks: all %d named, %d without effect, %d left out\n",
          backend.c_str(),
          ranks,
          tally.named,
          tally.harmless,
          tally.masked);
      std::fflush(stdout);
      result = tally;
    }
    return OkStatus();
  });
  EXPECT_TRUE(ran.ok()) << ran;
  // The two reductions of masked_max, and of what it is made of.
  EXPECT_LE(result.masked, 8);
  return result;
}

constexpr char kOfPlans[] = "a pass of a plan makes it; a finder's has none";
constexpr char kNoNumbers[] = "its results are no floats";
constexpr char kAlias[] = "an alias: nothing runs";
constexpr char kBase[] = "a base class";

const std::map<std::string, std::string>& NotInTheMatrix() {
  static const auto& table = *new std::map<std::string, std::string>{
      {"ArgReduceOp", kNoNumbers},
      {"BarrierOp", kAlias},
      {"CheckpointOp", kAlias},
      {"CombinedSumOp", kOfPlans},
      {"CopyOp", kOfPlans},
      {"FusedOp", kOfPlans},
      {"FusedReduceOp", kOfPlans},
      {"MeshIndexOp", kNoNumbers},
      {"MeshMoveOp", kBase},
      {"PlanOp", kBase},
      {"PointwiseSumGradOp", kOfPlans},
      {"PointwiseSumOp", kOfPlans},
      {"ReshapeOp", kAlias},
      {"StopGradientOp", kAlias},
      {"Sums", kBase},
      {"SumsWithGrad", kBase},
      {"VaryOp", kAlias},
  };
  return table;
}

TEST(CauseMatrix, EveryOperationIsNamedOnTwoRanks) {
  const Tally tally = RunMatrix("local", 2);
  const std::regex operation(
      "^class (\\w+) (?:final )?: public "
      "(?:internal::)?(?:Op|PlanOp|MeshMoveOp|Sums|SumsWithGrad) \\{");
  for (const SourceFile& file : ReadSourceTree()) {
    if (file.room() != "autodiff") continue;
    for (const std::string& line : file.lines) {
      std::smatch match;
      if (!std::regex_search(line, match, operation)) continue;
      EXPECT_NE(tally.classes.count(match[1]) == 1,
                NotInTheMatrix().count(match[1]) == 1)
          << match[1] << ": add a program with it to cause_cases.cc, or say "
          << "here why it is not needed";
    }
  }
  for (int i = 1; i < kCodes; ++i) {
    const auto code = static_cast<Code>(i);
    // No operation of its own: select, and sums, are made of these.
    if (IsPredicate(code) || code == Code::kFma) continue;
    EXPECT_EQ(tally.operations.count(std::string(Name(code))), 1u)
        << Name(code);
  }
}

TEST(CauseMatrix, EveryOperationIsNamedOnFourRanks) { RunMatrix("local", 4); }

TEST(CauseMatrix, EveryOperationIsNamedOnTwoProcesses) { RunMatrix("shm", 2); }

TEST(CauseMatrix, EveryOperationIsNamedOnFourProcesses) { RunMatrix("shm", 4); }

}  // namespace
}  // namespace gyre::internal::inline tests

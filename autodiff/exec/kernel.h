// What the executor calls, once for each operation of each step.
//
// WARNING 1: Run allocates nothing and looks at no value to decide what it
// does: the time of a step depends on shapes alone (but for arguments that a
// function hardly ever sees, as the logarithm of a subnormal: core/lanes.h).

#ifndef GYRE_AUTODIFF_EXEC_KERNEL_H_
#define GYRE_AUTODIFF_EXEC_KERNEL_H_

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "gyre/core/dtype.h"
#include "gyre/core/shape.h"
#include "gyre/core/source_loc.h"
#include "gyre/core/status.h"
#include "gyre/mesh/mesh.h"

namespace gyre {

// kFast is what training uses. kReference is plain loops, slow and easy to
// trust, to tell a kernel's fault from the model's.
enum class KernelSet { kFast, kReference };

}  // namespace gyre

namespace gyre::internal::inline autodiff {

struct KernelTensor {
  Shape shape;
  DType dtype = DType::kF32;
};

struct KernelRequest {
  std::vector<KernelTensor> inputs;
  std::vector<KernelTensor> outputs;
  // False for an output that nobody reads: its pointer is null at run time.
  std::vector<char> output_used;
  KernelSet set = KernelSet::kFast;
  // Elementwise loops may be generated (autodiff/exec/jit_code.h).
  bool jit = false;
  SourceLoc loc = {};  // the user's line, for messages
};

struct KernelArgs;

// Is told by operations of a plan that values are there, in the middle of a
// run.
class ReadyListener {
 public:
  virtual ~ReadyListener() = default;
  // `event`: the number that the operation was recorded with; `args`: what is
  // there, as its operands.
  virtual Status Ready(int event, const KernelArgs& args) = 0;
};

// What a kernel may know of the step beside its operands.
struct StepContext {
  const Mesh* mesh = nullptr;  // null: a world of one
  std::int64_t step = 0;
  ReadyListener* listener = nullptr;  // of a plan with such operations
};

struct KernelArgs {
  void* const* in;
  void* const* out;
  std::byte* scratch;  // scratch_bytes() of it, 64-byte aligned
  const StepContext* context;

  template <class T>
  const T* input(int i) const {
    return static_cast<const T*>(in[i]);
  }
  template <class T>
  T* output(int i) const {
    return static_cast<T*>(out[i]);
  }
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual std::size_t scratch_bytes() const { return 0; }
  virtual Status Run(const KernelArgs& args) = 0;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_KERNEL_H_

#include "gyre/models/heads.h"

#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/tape.h"

namespace gyre::internal::inline models {

Var SplitHeads(Traced input, std::int64_t heads) {
  const Tape::Call call(input);
  const Var x = input.var();
  if (!x.valid()) return x;
  const Shape s = x.shape();  // a copy: recording moves the tape's values
  return transpose(reshape(x, {s[0], s[1], heads, s[2] / heads}), {0, 2, 1, 3});
}

Var JoinHeads(Traced input) {
  const Tape::Call call(input);
  const Var x = input.var();
  if (!x.valid()) return x;
  const Shape s = x.shape();
  return reshape(transpose(x, {0, 2, 1, 3}), {s[0], s[2], s[1] * s[3]});
}

}  // namespace gyre::internal::inline models

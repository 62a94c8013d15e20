#include "gyre/models/transformer.h"

#include "gyre/autodiff/ops/attention.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/models/heads.h"
#include "gyre/models/layers.h"
#include "gyre/models/mlp.h"

namespace gyre {

using namespace internal;

Var multi_head_attention(Params& params,
                         const std::string& name,
                         Traced input,
                         const AttentionLayerOptions& options) {
  if (const auto bad = params.Unusable(input)) return *bad;
  const Tape::Call call(input, name);
  const Var x = input.var();
  const bool has_memory = options.memory.given();
  if (has_memory) {
    const Located at(input);
    if (const auto bad = Unusable("attention", {input, at(options.memory)})) {
      return *bad;
    }
  }
  const Var memory = has_memory ? options.memory : x;
  const std::int64_t heads = options.heads;
  if (x.rank() != 3 || memory.rank() != 3 || heads < 1 ||
      x.shape()[2] % heads != 0) {
    return x.tape()->Fail(
        {},
        "",
        ConfigError("attention needs x (batch, seq, width) with a "
                    "width that divides into ",
                    heads,
                    " heads, got ",
                    x.shape(),
                    " and memory ",
                    memory.shape()));
  }
  Params mine = params.Scope(name);
  const std::int64_t width = x.shape()[2];
  const Var q = SplitHeads(linear(mine, "q", x, width), heads);
  const Var k = SplitHeads(linear(mine, "k", memory, width), heads);
  const Var v = SplitHeads(linear(mine, "v", memory, width), heads);
  const Var y = attention(q,
                          k,
                          v,
                          {.mask = options.mask,
                           .bias = options.bias,
                           .causal = options.causal,
                           .qk_norm = options.qk_norm});
  return linear(mine, "out", JoinHeads(y), width);
}

Var transformer_block(Params& params,
                      const std::string& name,
                      Traced input,
                      const TransformerBlockOptions& options) {
  if (const auto bad = params.Unusable(input)) return *bad;
  const Tape::Call call(input, name);
  Var x = input.var();
  if (x.rank() != 3) {
    return x.tape()->Fail({},
                          "",
                          ConfigError("a transformer block needs x (batch, "
                                      "seq, width), got ",
                                      x.shape()));
  }
  Params mine = params.Scope(name);
  const std::int64_t width = x.shape()[2];
  x = x + multi_head_attention(mine,
                               "attention",
                               layer_norm(mine, "norm0", x),
                               {.heads = options.heads,
                                .causal = options.causal,
                                .qk_norm = options.qk_norm,
                                .mask = options.mask,
                                .bias = options.bias});
  Params mlp = mine.Scope("mlp");
  const Mlp perceptron{{options.expansion * width, width}, options.activation};
  return x + perceptron(mlp, layer_norm(mine, "norm1", x));
}

}  // namespace gyre

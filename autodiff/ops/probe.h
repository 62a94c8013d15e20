// A look at a traced value while the run goes on.
//
//   Var Model(Params& p, const BatchVars& b) {
//     const Var h = probe("hidden", tanh(linear(p, "up", b["x"], 16)));
//     return print("out", linear(p, "head", h, 1));
//   }
//
// Every so many steps (TrainSpec::probe_every) of the training, not of an
// evaluation. They change no bit; where they are off, they cost nothing.

#ifndef GYRE_AUTODIFF_OPS_PROBE_H_
#define GYRE_AUTODIFF_OPS_PROBE_H_

#include <string>

#include "gyre/autodiff/var.h"

namespace gyre {

// Records the value's mean, least and largest number, and how many of its
// numbers are not finite, over all ranks: "probes" in metrics.jsonl,
// "probe/..." in TensorBoard. Returns `value` itself. Errors of the trace: a
// name that was given before, or none; a value without numbers of a float type.
Var probe(const std::string& name, Traced value);

// The same, and writes the first 16 numbers to the log: of rank 0, or of each
// rank where ranks have numbers of their own.
Var print(const std::string& name, Traced value);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_PROBE_H_

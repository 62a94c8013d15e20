// A call, and a wrong call, of each function that records operations.

#ifndef GYRE_TESTS_MODELS_LINE_CASES_H_
#define GYRE_TESTS_MODELS_LINE_CASES_H_

#include <functional>
#include <string>
#include <vector>

#include "gyre/autodiff/tape.h"
#include "gyre/models/batch_vars.h"
#include "gyre/models/params.h"

namespace gyre::internal::inline tests {

// A tape with something to call functions with, on a mesh with the axis
// "model" of two ranks.
struct LineIn {
  explicit LineIn(const Mesh& mesh);

  Tape tape;
  Params params;
  Var x, y;         // (4, 6)
  Var varying;      // the same, of each rank
  Var mask;         // the same, bool
  Var wide;         // the same, f64
  Var integers;     // the same, i32
  Var labels;       // (4), i32
  Var image;        // (2, 4, 8, 8)
  Var filter;       // (4, 4, 3, 3)
  Var sequence;     // (2, 6, 8)
  Var heads;        // (2, 2, 6, 4)
  BatchVars batch;  // "x"
};

using LineCall = std::function<void(LineIn&)>;

struct LineCase {
  std::string name;  // of the function
  LineCall right;
  LineCall wrong;  // null: no call of it is wrong
};

std::vector<LineCase> ElementwiseLineCases();
// These, and all other operations.
std::vector<LineCase> OperationLineCases();
std::vector<LineCase> LayerLineCases();

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_MODELS_LINE_CASES_H_

// Models that are spread over a mesh: tensor and sequence parallel layers,
// strips of a field with halos, ensembles, weights gathered where they are
// used.
//
//   const Var h = column_linear(params, "up", x, 256, {.axis = "model"});
//   const Var y = row_linear(params, "down", relu(h), 64, {.axis = "model"});
//
// docs/meshes.md shows whole programs.
//
// WARNING 1: ranks that differ on other axes than the batch's must get the same
// samples: give the sampler the mesh and its batch axes.

#ifndef GYRE_PARALLEL_H_
#define GYRE_PARALLEL_H_

#include "gyre/autodiff/ops/collective.h"
#include "gyre/autodiff/ops/mesh_moves.h"
#include "gyre/mesh/sharding.h"
#include "gyre/models/ensemble.h"
#include "gyre/models/fully_sharded.h"
#include "gyre/models/spatial.h"
#include "gyre/models/tensor_parallel.h"

#endif  // GYRE_PARALLEL_H_

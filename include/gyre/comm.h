// What ranks can say to each other outside a step.
//
//   float mine = 1;
//   float total = 0;
//   GYRE_RETURN_IF_ERROR(world.comm().AllReduce(
//       &mine, &total, 1, DType::kF32, ReduceOp::kSum, {.label = "total"}));
//
// WARNING 1: all ranks make the same calls in the same order; one that does not
// is an error on every rank, which names both lines.

#ifndef GYRE_COMM_H_
#define GYRE_COMM_H_

#include "gyre/collectives/world.h"
#include "gyre/mesh/communicator.h"
#include "gyre/mesh/lane.h"

#endif  // GYRE_COMM_H_

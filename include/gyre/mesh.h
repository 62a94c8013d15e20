// The world laid out on named axes.
//
//   GYRE_ASSIGN_OR_RETURN(auto mesh,
//                         Mesh::Create(world.comm(), {{"data", -1}}));
//
// A mesh is built once and never changes; -1 stands for the ranks that are
// left.

#ifndef GYRE_MESH_H_
#define GYRE_MESH_H_

#include "gyre/mesh/mesh.h"
#include "gyre/mesh/sharding.h"

#endif  // GYRE_MESH_H_

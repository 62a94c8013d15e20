// Fields that are cut along latitude or longitude over a mesh axis: each rank
// has a strip, and neighbours exchange the rows that a convolution reaches
// for.
//
//   const Strip lon{.axis = "space", .dim = 3, .edge = HaloEdge::kCircular};
//   const Strip lat{.axis = "space", .dim = 2, .whole = 33};
//   Var y = strip_conv(params, "hidden", x, 16, lat, {.kernel = 5});
//
// Parameters have the names and first values of `conv` (models/layers.h), and
// the result is a strip of what it gives for the whole field.
//
// 33 rows over 2 ranks are 17 rows each, of which the last one of the last
// rank does not exist: the source pads it with any number (StripRows tells how
// many rows a rank has), `whole` tells the layer, and a mask of StripMask
// keeps it out of the loss.
//
// Errors: no such axis; a field that is not (batch, channel, lat, lon); a
// circular strip that does not divide; a kernel that reaches past a
// neighbour.

#ifndef GYRE_MODELS_SPATIAL_H_
#define GYRE_MODELS_SPATIAL_H_

#include <cstdint>
#include <string>

#include "gyre/autodiff/ops/mesh_moves.h"
#include "gyre/models/layers.h"

namespace gyre {

struct Strip {
  std::string axis = "space";
  int dim = 3;             // 2: latitude, 3: longitude
  std::int64_t whole = 0;  // extent of the field along dim; 0: it divides
  HaloEdge edge = HaloEdge::kZero;
};

// Rows that each of `ranks` gets of `whole`, padding included.
constexpr std::int64_t StripRows(std::int64_t whole, int ranks) {
  return (whole + ranks - 1) / ranks;
}

// 1 where this rank's rows exist and 0 where they are padding, broadcast
// against x: (1, 1, rows, 1) or (1, 1, 1, rows), bool.
Var StripMask(Traced x, const Strip& strip);

// x: (batch, in, h, w) -> (batch, out, h, w), both this rank's strip. The
// options' pad_mode is for the other direction.
Var strip_conv(Params& params,
               const std::string& name,
               Traced x,
               std::int64_t out,
               const Strip& strip,
               const ConvLayerOptions& options = {});

}  // namespace gyre

#endif  // GYRE_MODELS_SPATIAL_H_

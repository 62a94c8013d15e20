// All of Gyre's front door.
//
//   #include <gyre/gyre.h>
//   using namespace gyre;
//
// A program that counts its compile time includes the facades that it uses:
// loss.h, layers.h, parallel.h, optim.h, data.h, train.h, mesh.h, comm.h,
// check.h, monitor.h, main.h; and arrays.h and files.h, which are no part of
// this header. A header that none of them reaches is internal: it may change or
// go without a word.

#ifndef GYRE_GYRE_H_
#define GYRE_GYRE_H_

#include <gyre/check.h>
#include <gyre/comm.h>
#include <gyre/data.h>
#include <gyre/layers.h>
#include <gyre/loss.h>
#include <gyre/main.h>
#include <gyre/mesh.h>
#include <gyre/monitor.h>
#include <gyre/optim.h>
#include <gyre/parallel.h>
#include <gyre/train.h>

#endif  // GYRE_GYRE_H_

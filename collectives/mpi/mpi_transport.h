// Messages over MPI (Open MPI, MPICH): the way to a cluster's own fabric.
// For programs that mpirun or srun has started; its own library
// (gyre::mpi), there where MPI is installed.
//
//   GYRE_ASSIGN_OR_RETURN(std::shared_ptr<Transport> transport,
//                         MakeMpiTransport(policy));
//   auto comm = MessageCommunicator::Join(transport, {});
//
// MPI is initialised here, unless the program has done it, and finalised with
// the transport. A rank that fails does not finalise it, nor does it call
// MPI_Abort: its exit code tells the launcher.
//
// WARNING 1: one transport for a process, and only once in its life: MPI
// cannot be initialised again.
// WARNING 2: MPI tells nothing of a rank that computes and makes no calls. A
// late rank is described by its last collective, not by SetActivity.

#ifndef GYRE_COLLECTIVES_MPI_MPI_TRANSPORT_H_
#define GYRE_COLLECTIVES_MPI_MPI_TRANSPORT_H_

#include <memory>

#include "gyre/collectives/message/transport.h"
#include "gyre/collectives/rendezvous.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

// Errors: MPI does not start, or knows no threads.
StatusOr<std::shared_ptr<Transport>> MakeMpiTransport(const WaitPolicy& policy);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MPI_MPI_TRANSPORT_H_

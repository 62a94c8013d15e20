#include "gyre/collectives/network_world.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "gyre/collectives/grpc/credentials.h"
#include "gyre/collectives/grpc/grpc_transport.h"
#include "gyre/collectives/host_limits.h"
#include "gyre/collectives/message/message_communicator.h"
#include "gyre/collectives/roster/host_identity.h"
#include "gyre/collectives/roster/meeting.h"
#include "gyre/collectives/shared_communicator.h"
#include "gyre/collectives/shm/shm_space.h"
#include "gyre/collectives/two_level/host_plan.h"
#include "gyre/core/hash.h"
#include "gyre/core/program.h"

namespace gyre::internal::inline collectives {
namespace {

// Where rank 0 is: as told, or at a socket of this machine that goes by the
// run's token, when all ranks are here.
StatusOr<Address> Coordinator(const LaunchEnv& launch) {
  if (!launch.coordinator.empty()) return Address::Parse(launch.coordinator);
  if (launch.shm_fd >= 0 || launch.local_size == launch.size) {
    return UnixAddress(Cat("gyre-", HexHash(Hash64(launch.token))));
  }
  return ConfigError("rank ",
                     launch.rank,
                     " of ",
                     launch.size,
                     " was started by ",
                     launch.source,
                     ", which does not tell where rank 0 is: set "
                     "GYRE_COORDINATOR=host:port, the same for all ranks");
}

StatusOr<Security> SecurityFor(const Address& coordinator,
                               const NetworkOptions& options) {
  if (options.tls != "off") {
    GYRE_ASSIGN_OR_RETURN(const TlsIdentity identity,
                          ReadTlsIdentity(options.tls));
    return MakeSecurity(identity);
  }
  if (!coordinator.local() && !options.insecure) {
    return ConfigError("rank 0 is to be found at ",
                       coordinator.Text(),
                       ", which other machines can reach: connections need "
                       "certificates (--tls or GYRE_TLS), or your word that "
                       "nobody listens in (--insecure or GYRE_INSECURE=1)");
  }
  return Security{};
}

RankCard CardFor(const LaunchEnv& launch,
                 const NetworkOptions& options,
                 const std::string& config) {
  RankCard card;
  card.rank = launch.rank;
  card.size = launch.size;
  card.pid = ::getpid();
  card.config = config;
  card.collectives = options.collectives;
  const HostIdentity host = ReadHostIdentity();
  card.host = host.key;
  card.host_name = host.name;
  const ProgramIdentity program = ReadProgramIdentity();
  card.build = program.build;
  card.isa = program.isa;
  return card;
}

std::string ShmPath(int pid, int fd) { return Cat("/proc/", pid, "/fd/", fd); }

// One rank has made the file; the others open it through /proc.
StatusOr<FileHandle> OpenShm(const std::string& path) {
  FileHandle file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file.get() < 0) {
    return ConfigError("the shared memory of another rank (",
                       path,
                       ") cannot be opened: ",
                       std::strerror(errno),
                       "; do all ranks run as the same user? "
                       "--collectives grpc needs no shared memory");
  }
  return file;
}

StatusOr<std::unique_ptr<Communicator>> JoinShm(const LaunchEnv& launch,
                                                FileHandle file,
                                                const std::string& token,
                                                double deadline_s) {
  GYRE_ASSIGN_OR_RETURN(
      std::shared_ptr<ShmSpace> space,
      ShmSpace::Open(file.Release(), launch.rank, launch.size, token));
  return SharedCommunicator::Join(std::move(space),
                                  PolicyFor(launch.size, deadline_s));
}

StatusOr<std::shared_ptr<Transport>> ConnectGrpc(const LaunchEnv& launch,
                                                 Assembly assembly,
                                                 const Address& coordinator,
                                                 double deadline_s) {
  MeshOptions mesh;
  mesh.rank = launch.rank;
  mesh.token = launch.token;
  mesh.deadline_ns = static_cast<std::int64_t>(deadline_s * 1e9);
  const std::vector<Address> addresses =
      DialAddresses(assembly.roster, coordinator);
  for (int r = 0; r < launch.size; ++r) {
    const RankCard& card = assembly.roster.cards[r];
    mesh.peers.push_back(
        {addresses[r].DialTarget(),
         Cat("its process (", card.pid, " on ", card.host_name, ")")});
  }
  GYRE_ASSIGN_OR_RETURN(std::shared_ptr<Transport> transport,
                        GrpcTransport::Connect(std::move(mesh),
                                               std::move(assembly.endpoint),
                                               std::move(assembly.early)));
  return transport;
}

// Memory for the ranks of this rank's host. Its first rank makes it, and tells
// where.
StatusOr<HostPlacement> ShareMemory(Communicator& comm,
                                    const std::vector<int>& hosts,
                                    const std::string& token) {
  struct Maker {
    std::int32_t pid;
    std::int32_t fd;  // -1: it could not
  };
  const HostPlan plan(hosts, comm.rank());
  const int local = static_cast<int>(plan.local_ranks().size());
  FileHandle file;
  Status made;
  if (plan.local_rank() == 0) {
    auto world = CreateShmWorld(local, token);
    made = world.status();
    if (world.ok()) file = *std::move(world);
  }
  const Maker mine = {::getpid(), file.get()};
  std::vector<Maker> makers(hosts.size());
  GYRE_RETURN_IF_ERROR(comm.AllGather(&mine,
                                      makers.data(),
                                      sizeof mine,
                                      DType::kU8,
                                      {.label = "memory of each host"}));
  GYRE_RETURN_IF_ERROR(made);
  const int first = plan.local_ranks().front();
  if (makers[first].fd < 0) {
    return PeerLostError(
        "rank ", first, " could not get the memory that its host shares");
  }
  if (plan.local_rank() != 0) {
    GYRE_ASSIGN_OR_RETURN(
        file, OpenShm(ShmPath(makers[first].pid, makers[first].fd)));
  }
  GYRE_ASSIGN_OR_RETURN(
      std::shared_ptr<SharedSpace> space,
      ShmSpace::Open(file.Release(), plan.local_rank(), local, token));
  // The path is good for as long as the first rank's file is open.
  GYRE_RETURN_IF_ERROR(comm.Barrier({.label = "memory of each host"}));
  return HostPlacement{hosts, std::move(space)};
}

StatusOr<std::unique_ptr<Communicator>> JoinTwoLevel(
    std::shared_ptr<Transport> transport,
    const std::vector<int>& hosts,
    const std::string& token) {
  HostPlacement placement;
  {
    GYRE_ASSIGN_OR_RETURN(const auto comm,
                          MessageCommunicator::Join(transport, {}));
    auto shared = ShareMemory(*comm, hosts, token);
    if (!shared.ok()) {
      comm->Abort(shared.status());
      return shared.status();
    }
    placement = *std::move(shared);
  }
  return MessageCommunicator::Join(
      std::move(transport), {}, std::move(placement));
}

}  // namespace

StatusOr<std::unique_ptr<Communicator>> JoinNetworkWorld(
    const LaunchEnv& launch,
    const NetworkOptions& options,
    double deadline_s,
    const std::string& config) {
  MeetingOptions meeting;
  GYRE_ASSIGN_OR_RETURN(meeting.coordinator, Coordinator(launch));
  GYRE_ASSIGN_OR_RETURN(meeting.security,
                        SecurityFor(meeting.coordinator, options));
  meeting.token = launch.token;
  meeting.deadline_s = deadline_s;
  FileHandle shm;
  const auto decide = [&](Roster& roster) -> Status {
    GYRE_ASSIGN_OR_RETURN(roster.backend, ChooseBackend(roster));
    if (roster.backend != "shm") return OkStatus();
    GYRE_ASSIGN_OR_RETURN(shm, CreateShmWorld(launch.size, launch.token));
    roster.shm_path = ShmPath(::getpid(), shm.get());
    return OkStatus();
  };
  GYRE_ASSIGN_OR_RETURN(
      Assembly assembly,
      Meet(meeting, CardFor(launch, options, config), decide));
  if (assembly.roster.backend == "shm") {
    if (launch.rank != 0) {
      GYRE_ASSIGN_OR_RETURN(shm, OpenShm(assembly.roster.shm_path));
    }
    return JoinShm(launch, std::move(shm), launch.token, deadline_s);
  }
  const std::string backend = assembly.roster.backend;
  if (backend != "grpc" && backend != "two-level") {
    return ConfigError(
        "--collectives ", backend, " does not fit: give auto, shm or grpc");
  }
  const std::vector<int> hosts = assembly.roster.HostOfRanks();
  GYRE_ASSIGN_OR_RETURN(
      std::shared_ptr<Transport> transport,
      ConnectGrpc(
          launch, std::move(assembly), meeting.coordinator, deadline_s));
  if (backend == "two-level") {
    return JoinTwoLevel(std::move(transport), hosts, launch.token);
  }
  return MessageCommunicator::Join(std::move(transport), {});
}

}  // namespace gyre::internal::inline collectives

#include "gyre/collectives/grpc/grpc_transport.h"

#include <algorithm>
#include <utility>

#include "gyre/collectives/grpc/grpc_channel.h"

namespace gyre::internal::inline collectives {

StatusOr<std::unique_ptr<GrpcTransport>> GrpcTransport::Connect(
    MeshOptions options,
    std::unique_ptr<Endpoint> endpoint,
    std::vector<std::unique_ptr<ServerStream>> early) {
  auto mesh = std::make_shared<PeerMesh>(
      std::move(options), std::move(endpoint), std::move(early));
  if (const Status met = mesh->Connect(); !met.ok()) {
    mesh->Abort(met);
    return met;
  }
  return std::unique_ptr<GrpcTransport>(new GrpcTransport(std::move(mesh)));
}

StatusOr<std::unique_ptr<MessageChannel>> GrpcTransport::Open(
    std::uint32_t group, std::span<const int> members) {
  GYRE_RETURN_IF_ERROR(mesh_->CheckProcess());
  const bool valid = std::all_of(members.begin(), members.end(), [this](int r) {
    return r >= 0 && r < size();
  });
  if (!valid || std::count(members.begin(), members.end(), rank()) != 1) {
    return InternalError(
        "a group of messages must hold ranks of the world, "
        "this one among them");
  }
  return std::unique_ptr<MessageChannel>(std::make_unique<GrpcChannel>(
      mesh_, group, std::vector<int>(members.begin(), members.end())));
}

}  // namespace gyre::internal::inline collectives

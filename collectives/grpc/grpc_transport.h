// Messages over gRPC: TCP or unix sockets, in the clear or with TLS.
//
//   GYRE_ASSIGN_OR_RETURN(auto endpoint, Endpoint::Listen(address, security));
//   ... learn where the others listen (collectives/roster) ...
//   GYRE_ASSIGN_OR_RETURN(
//       const std::shared_ptr<Transport> transport,
//       GrpcTransport::Connect(options, std::move(endpoint)));
//
// WARNING 1: destroying it is leaving the world: it waits until the others
// have taken all that was sent to them, for no longer than the deadline.
// WARNING 2: a process that is forked off a rank can use none of it: it gets
// errors.

#ifndef GYRE_COLLECTIVES_GRPC_GRPC_TRANSPORT_H_
#define GYRE_COLLECTIVES_GRPC_GRPC_TRANSPORT_H_

#include <memory>
#include <vector>

#include "gyre/collectives/grpc/peer_mesh.h"
#include "gyre/collectives/message/transport.h"

namespace gyre::internal::inline collectives {

class GrpcTransport final : public Transport {
 public:
  // Meets all other ranks.
  static StatusOr<std::unique_ptr<GrpcTransport>> Connect(
      MeshOptions options,
      std::unique_ptr<Endpoint> endpoint,
      std::vector<std::unique_ptr<ServerStream>> early = {});
  ~GrpcTransport() override { mesh_->Leave(); }

  std::string_view backend() const override { return "grpc"; }
  int rank() const override { return mesh_->rank(); }
  int size() const override { return mesh_->size(); }
  StatusOr<std::unique_ptr<MessageChannel>> Open(
      std::uint32_t group, std::span<const int> members) override;
  void Abort(const Status& why) override { mesh_->Abort(why); }
  void FailGroup(std::uint32_t group,
                 std::span<const int> members,
                 const GroupFailure& failure) override {
    mesh_->FailGroup(group, members, failure);
  }
  void SetActivity(std::int64_t step, std::string_view what) override {
    mesh_->SetActivity(step, what);
  }

 private:
  explicit GrpcTransport(std::shared_ptr<PeerMesh> mesh)
      : mesh_(std::move(mesh)) {}

  std::shared_ptr<PeerMesh> mesh_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_GRPC_GRPC_TRANSPORT_H_

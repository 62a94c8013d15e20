// This process on the network: where it listens, how it dials, and the one
// completion queue in which everything ends.

#ifndef GYRE_COLLECTIVES_GRPC_ENDPOINT_H_
#define GYRE_COLLECTIVES_GRPC_ENDPOINT_H_

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "collectives/grpc/stream.h"
#include "core/status.h"

namespace gyre {

// How connections are secured: both null for plaintext.
struct Security {
  std::shared_ptr<::grpc::ServerCredentials> server;
  std::shared_ptr<::grpc::ChannelCredentials> client;
};

class Endpoint {
 public:
  // `address`: "127.0.0.1:0", "[::1]:29400", "unix-abstract:name". Port 0 is
  // any free one. Error: the address is taken, or none of this machine.
  static StatusOr<std::unique_ptr<Endpoint>> Listen(const std::string& address,
                                                    const Security& security);
  ~Endpoint() { Close(); }

  int port() const { return port_; }
  ::grpc::ServerCompletionQueue& queue() { return *queue_; }

  // A connection of its own, made when a stream first needs it.
  std::shared_ptr<::grpc::Channel> Dial(const std::string& target);
  // Waits for one stream to be dialed.
  std::unique_ptr<ServerStream> Accept();

  // Ends all operations, and throws their tags away. The streams must live
  // until then, and are of no use after.
  void Close();

 private:
  Endpoint() = default;

  ::grpc::AsyncGenericService service_;
  std::unique_ptr<::grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<::grpc::Server> server_;
  std::shared_ptr<::grpc::ChannelCredentials> credentials_;
  int port_ = 0;
};

}  // namespace gyre

#endif  // GYRE_COLLECTIVES_GRPC_ENDPOINT_H_

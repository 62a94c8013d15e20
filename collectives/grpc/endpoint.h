// This process on the network: where it listens, how it dials, and the one
// completion queue in which everything ends.

#ifndef GYRE_COLLECTIVES_GRPC_ENDPOINT_H_
#define GYRE_COLLECTIVES_GRPC_ENDPOINT_H_

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "gyre/collectives/grpc/stream.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

// How connections are secured: both null for plaintext.
struct Security {
  std::shared_ptr<::grpc::ServerCredentials> server;
  std::shared_ptr<::grpc::ChannelCredentials> client;
};

class Endpoint {
 public:
  // `address`: "127.0.0.1:0", "[::1]:29400", "unix-abstract:name". Port 0 is
  // any free one. Error: the address is taken, or none of this machine.
  // `second`: another one, whose port is then port().
  static StatusOr<std::unique_ptr<Endpoint>> Listen(
      const std::string& address,
      const Security& security,
      const std::string& second = "");
  ~Endpoint() { Close(); }

  int port() const { return port_; }
  ::grpc::ServerCompletionQueue& queue() { return *queue_; }

  // A connection of its own, made when a stream first needs it. A peer that
  // listens, but is busy with other things, has `patience_ms` to answer.
  std::shared_ptr<::grpc::Channel> Dial(const std::string& target,
                                        int patience_ms = 20'000);
  // It always waits for one more stream to be dialed; the event that one has
  // been is kStart of a stream for which this holds.
  bool IsAccept(const Stream* stream) const {
    return stream == accepting_.get();
  }
  // The stream, after that event. Null when `ok` is false.
  std::unique_ptr<ServerStream> Accepted(bool ok);

  // Holds a stream that is of no use any more, until all of it has ended.
  void Keep(std::unique_ptr<Stream> stream);

  // Ends all operations, and throws their tags away. The streams must live
  // until then, and are of no use after.
  void Close();

 private:
  Endpoint() = default;

  ::grpc::AsyncGenericService service_;
  std::unique_ptr<::grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<::grpc::Server> server_;
  std::shared_ptr<::grpc::ChannelCredentials> credentials_;
  std::unique_ptr<ServerStream> accepting_;
  std::vector<std::unique_ptr<Stream>> kept_;
  int port_ = 0;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_GRPC_ENDPOINT_H_

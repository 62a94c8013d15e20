#include "gyre/collectives/grpc/endpoint.h"

#include <grpc/grpc_security_constants.h>
#include <grpc/support/log.h>
#include <malloc.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "absl/synchronization/mutex.h"

namespace gyre::internal::inline collectives {
namespace {

void DropLog(gpr_log_func_args*) {}

// Once in the process, before gRPC starts.
void PrepareProcess() {
  static std::once_flag once;
  std::call_once(once, [] {
    // What is worth telling comes as a Status. GRPC_VERBOSITY brings gRPC's
    // own lines back.
    if (std::getenv("GRPC_VERBOSITY") == nullptr) {
      gpr_set_log_function(DropLog);
    }
    // Debian's Abseil looks for lock cycles at every lock of gRPC's.
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
    // Received chunks are allocated and freed all the time; giving their
    // memory back to the system each time costs half of the bandwidth.
    ::mallopt(M_TRIM_THRESHOLD, 512 << 20);
    ::mallopt(M_MMAP_THRESHOLD, 64 << 20);
  });
}

void SetCommon(const auto& set) {
  set(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, -1);
  set(GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, -1);
  // The bandwidth probe shrinks windows on fast links.
  set(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  // With retries, the last slice of a message stays referenced.
  set(GRPC_ARG_ENABLE_RETRIES, 0);
  set(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  set("grpc.per_message_compression", 0);
}

}  // namespace

StatusOr<std::unique_ptr<Endpoint>> Endpoint::Listen(
    const std::string& address,
    const Security& security,
    const std::string& second) {
  PrepareProcess();
  std::unique_ptr<Endpoint> endpoint(new Endpoint());
  endpoint->credentials_ = security.client != nullptr
                               ? security.client
                               : ::grpc::InsecureChannelCredentials();
  ::grpc::ServerBuilder builder;
  SetCommon([&](const char* name, int value) {
    builder.AddChannelArgument(name, value);
  });
  // A port that another process has is an error, and not shared with it.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  const auto credentials = security.server != nullptr
                               ? security.server
                               : ::grpc::InsecureServerCredentials();
  for (const std::string& where : {address, second}) {
    if (where.empty()) continue;
    builder.AddListeningPort(where, credentials, &endpoint->port_);
  }
  builder.RegisterAsyncGenericService(&endpoint->service_);
  endpoint->queue_ = builder.AddCompletionQueue();
  endpoint->server_ = builder.BuildAndStart();
  if (endpoint->server_ == nullptr) {
    return ConfigError("cannot listen at ", address);
  }
  endpoint->accepting_ =
      std::make_unique<ServerStream>(endpoint->service_, *endpoint->queue_);
  return endpoint;
}

std::shared_ptr<::grpc::Channel> Endpoint::Dial(const std::string& target,
                                                int patience_ms) {
  ::grpc::ChannelArguments arguments;
  SetCommon(
      [&](const char* name, int value) { arguments.SetInt(name, value); });
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, patience_ms);
  // A rank that is not there yet is asked again soon.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
  return ::grpc::CreateCustomChannel(target, credentials_, arguments);
}

std::unique_ptr<ServerStream> Endpoint::Accepted(bool ok) {
  if (!ok) return nullptr;  // it closes
  return std::exchange(accepting_,
                       std::make_unique<ServerStream>(service_, *queue_));
}

void Endpoint::Keep(std::unique_ptr<Stream> stream) {
  stream->inbox = nullptr;
  if (!stream->idle()) kept_.push_back(std::move(stream));
}

void Endpoint::Close() {
  if (queue_ == nullptr) return;
  for (const auto& stream : kept_) stream->Cancel();
  if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
  queue_->Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) {
  }
  server_.reset();
  queue_.reset();
  kept_.clear();
  accepting_.reset();
}

}  // namespace gyre::internal::inline collectives

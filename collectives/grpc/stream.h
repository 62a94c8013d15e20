// One gRPC stream between two ranks, both ends alike: the one that dialed
// (ClientStream) and the one that was called (ServerStream).
//
// Every operation is started by a call here and ends as a StreamTag in the
// endpoint's completion queue; at most one of a kind is under way.

#ifndef GYRE_COLLECTIVES_GRPC_STREAM_H_
#define GYRE_COLLECTIVES_GRPC_STREAM_H_

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace gyre::internal::inline collectives {

enum class StreamOp { kStart, kRead, kWrite, kCloseWrites, kFinish };
inline constexpr int kStreamOps = 5;

class Stream;
class EventInbox;

struct StreamTag {
  Stream* stream;
  StreamOp op;
};

// What a stream is for: told by the one who dials.
struct StreamName {
  std::string method;  // "/gyre/data"
  int rank = -1;       // of the one who dials
  std::uint32_t group = 0;
  std::string token;
};

class Stream {
 public:
  Stream();
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // What is read lies in received() when the operation has ended well.
  void Read();
  void Write(const ::grpc::ByteBuffer& message);
  // Nothing more will be written: the other end reads to the end, in vain
  // then. A server finishes.
  void CloseWrites();
  // Ends the stream. A client learns status(); a server tells it.
  void Finish(const ::grpc::Status& status);
  // All operations under way end soon, in vain.
  virtual void Cancel() = 0;

  ::grpc::ByteBuffer& received() { return received_; }
  const ::grpc::Status& status() const { return status_; }

  // An operation's tag has come out of the queue.
  void Ended(StreamOp op) { under_way_[Index(op)] = false; }
  bool UnderWay(StreamOp op) const { return under_way_[Index(op)]; }
  bool idle() const;

  // Who is told of the operations that end; null: the mesh.
  EventInbox* inbox = nullptr;
  // Data comes in by this stream from that rank (of the world), and has not
  // come to its end; else -1. Both are guarded by QueueDriver::mutex().
  int data_from = -1;

 protected:
  static std::size_t Index(StreamOp op) { return static_cast<std::size_t>(op); }
  void* Begin(StreamOp op);
  virtual void DoRead(void* tag) = 0;
  virtual void DoWrite(const ::grpc::ByteBuffer& message, void* tag) = 0;
  virtual void DoCloseWrites(void* tag) = 0;
  virtual void DoFinish(void* tag) = 0;

  ::grpc::ByteBuffer received_;
  ::grpc::Status status_;

 private:
  std::array<StreamTag, kStreamOps> tags_;
  std::array<bool, kStreamOps> under_way_ = {};
};

class ClientStream final : public Stream {
 public:
  // Starts the stream (kStart). It waits for the peer to be there, or ends in
  // vain, with a status that tells why it is not.
  ClientStream(const std::shared_ptr<::grpc::Channel>& channel,
               ::grpc::CompletionQueue& queue,
               const StreamName& name,
               bool wait_for_ready = true);
  void Cancel() override { context_.TryCancel(); }

 private:
  void DoRead(void* tag) override { io_->Read(&received_, tag); }
  void DoWrite(const ::grpc::ByteBuffer& message, void* tag) override {
    io_->Write(message, tag);
  }
  void DoCloseWrites(void* tag) override { io_->WritesDone(tag); }
  void DoFinish(void* tag) override { io_->Finish(&status_, tag); }

  ::grpc::ClientContext context_;
  std::unique_ptr<::grpc::GenericClientAsyncReaderWriter> io_;
};

class ServerStream final : public Stream {
 public:
  // Waits for a peer to dial (kStart).
  ServerStream(::grpc::AsyncGenericService& service,
               ::grpc::ServerCompletionQueue& queue);
  void Cancel() override { context_.TryCancel(); }

  // When kStart has ended well.
  StreamName name() const;
  // "ipv4:10.0.0.2:53412"
  std::string peer() const { return context_.peer(); }

 private:
  void DoRead(void* tag) override { io_.Read(&received_, tag); }
  void DoWrite(const ::grpc::ByteBuffer& message, void* tag) override {
    io_.Write(message, tag);
  }
  void DoCloseWrites(void* tag) override {
    io_.Finish(::grpc::Status::OK, tag);
  }
  void DoFinish(void* tag) override { io_.Finish(status_, tag); }

  ::grpc::GenericServerContext context_;
  ::grpc::GenericServerAsyncReaderWriter io_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_GRPC_STREAM_H_

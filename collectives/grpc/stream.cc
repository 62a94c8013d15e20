#include "gyre/collectives/grpc/stream.h"

#include <algorithm>
#include <charconv>

#include "gyre/core/hash.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {
namespace {

constexpr char kRankKey[] = "gyre-rank";
constexpr char kGroupKey[] = "gyre-group";
constexpr char kTokenKey[] = "gyre-token";

std::string Find(const ::grpc::ServerContext& context, const char* key) {
  const auto& all = context.client_metadata();
  const auto it = all.find(key);
  return it == all.end() ? ""
                         : std::string(it->second.data(), it->second.size());
}

template <class Int>
Int FindInt(const ::grpc::ServerContext& context, const char* key, Int none) {
  const std::string text = Find(context, key);
  Int value = none;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? value : none;
}

}  // namespace

Stream::Stream() {
  for (int i = 0; i < kStreamOps; ++i) {
    tags_[i] = {this, static_cast<StreamOp>(i)};
  }
}

void* Stream::Begin(StreamOp op) {
  under_way_[Index(op)] = true;
  return &tags_[Index(op)];
}

void Stream::Read() { DoRead(Begin(StreamOp::kRead)); }

void Stream::Write(const ::grpc::ByteBuffer& message) {
  DoWrite(message, Begin(StreamOp::kWrite));
}

void Stream::CloseWrites() { DoCloseWrites(Begin(StreamOp::kCloseWrites)); }

void Stream::Finish(const ::grpc::Status& status) {
  status_ = status;
  DoFinish(Begin(StreamOp::kFinish));
}

bool Stream::idle() const {
  return std::none_of(
      under_way_.begin(), under_way_.end(), [](bool b) { return b; });
}

ClientStream::ClientStream(const std::shared_ptr<::grpc::Channel>& channel,
                           ::grpc::CompletionQueue& queue,
                           const StreamName& name,
                           bool wait_for_ready) {
  context_.set_wait_for_ready(wait_for_ready);
  context_.AddMetadata(kRankKey, Cat(name.rank));
  context_.AddMetadata(kGroupKey, Cat(name.group));
  context_.AddMetadata(kTokenKey, name.token);
  ::grpc::GenericStub stub(channel);
  io_ = stub.PrepareCall(&context_, name.method, &queue);
  io_->StartCall(Begin(StreamOp::kStart));
}

ServerStream::ServerStream(::grpc::AsyncGenericService& service,
                           ::grpc::ServerCompletionQueue& queue)
    : io_(&context_) {
  service.RequestCall(&context_, &io_, &queue, &queue, Begin(StreamOp::kStart));
}

StreamName ServerStream::name() const {
  return {context_.method(),
          FindInt<int>(context_, kRankKey, -1),
          FindInt<std::uint32_t>(context_, kGroupKey, 0),
          Find(context_, kTokenKey)};
}

}  // namespace gyre::internal::inline collectives

#include "gyre/collectives/grpc/control_message.h"

#include <cstring>
#include <sstream>
#include <vector>

namespace gyre::internal::inline collectives {
namespace {

constexpr std::size_t kMaxText = 4096;
constexpr std::size_t kFixedBytes = 1 + sizeof(std::int64_t);

}  // namespace

std::string FailText(std::uint32_t group, const GroupFailure& failure) {
  return Cat(group, failure.late ? " 1 " : " 0 ", failure.why);
}

std::optional<ToldFailure> ReadFailure(int from,
                                       const ControlMessage& message) {
  std::istringstream text(message.text);
  ToldFailure told;
  told.failure.rank = from;
  told.failure.sequence = static_cast<std::uint64_t>(message.number);
  if (message.kind != ControlKind::kFail ||
      !(text >> told.group >> told.failure.late).ignore()) {
    return std::nullopt;
  }
  std::getline(text, told.failure.why, '\0');
  return told;
}

::grpc::ByteBuffer Encode(const ControlMessage& message) {
  std::string bytes(kFixedBytes, '\0');
  bytes[0] = static_cast<char>(message.kind);
  std::memcpy(bytes.data() + 1, &message.number, sizeof message.number);
  bytes += message.text.substr(0, kMaxText);
  const ::grpc::Slice slice(bytes.data(), bytes.size());
  return ::grpc::ByteBuffer(&slice, 1);
}

std::optional<ControlMessage> DecodeControl(const ::grpc::ByteBuffer& bytes) {
  std::vector<::grpc::Slice> slices;
  if (bytes.Length() > kFixedBytes + kMaxText || !bytes.Dump(&slices).ok()) {
    return std::nullopt;
  }
  std::string all;
  for (const ::grpc::Slice& slice : slices) {
    all.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  if (all.size() < kFixedBytes ||
      all[0] > static_cast<char>(ControlKind::kFail) || all[0] < 0) {
    return std::nullopt;
  }
  ControlMessage message;
  message.kind = static_cast<ControlKind>(all[0]);
  std::memcpy(&message.number, all.data() + 1, sizeof message.number);
  message.text = all.substr(kFixedBytes);
  return message;
}

}  // namespace gyre::internal::inline collectives

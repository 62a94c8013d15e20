#include "gyre/collectives/grpc/control_message.h"

#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

::grpc::ByteBuffer Raw(const std::string& bytes) {
  const ::grpc::Slice slice(bytes.data(), bytes.size());
  return ::grpc::ByteBuffer(&slice, 1);
}

TEST(ControlMessage, ComesBack) {
  const auto back =
      DecodeControl(Encode({ControlKind::kAbort, -5, "the file is damaged"}));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->kind, ControlKind::kAbort);
  EXPECT_EQ(back->number, -5);
  EXPECT_EQ(back->text, "the file is damaged");
}

TEST(ControlMessage, LongTextsAreCut) {
  const auto back = DecodeControl(
      Encode({ControlKind::kActivity, 1, std::string(100'000, 'x')}));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->text.size(), 4096u);
}

TEST(ControlMessage, FailuresComeBack) {
  const GroupFailure failure = {2, 7, true, "5 words, and 1 line\nmore"};
  const auto message = DecodeControl(
      Encode({ControlKind::kFail, 7, FailText(4'000'000'000, failure)}));
  ASSERT_TRUE(message.has_value());
  const auto told = ReadFailure(2, *message);
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->group, 4'000'000'000);
  EXPECT_EQ(told->failure.rank, 2);
  EXPECT_EQ(told->failure.sequence, 7u);
  EXPECT_TRUE(told->failure.late);
  EXPECT_EQ(told->failure.why, failure.why);
  EXPECT_FALSE(ReadFailure(2, {ControlKind::kFail, 7, "x"}).has_value());
  EXPECT_FALSE(ReadFailure(2, {ControlKind::kAbort, 7, "1 1 x"}).has_value());
}

TEST(ControlMessage, OtherBytesAreNone) {
  EXPECT_FALSE(DecodeControl(Raw("")).has_value());
  EXPECT_FALSE(DecodeControl(Raw("12345678")).has_value());
  EXPECT_FALSE(DecodeControl(Raw(std::string(9, '\x70'))).has_value());
  EXPECT_FALSE(DecodeControl(Raw(std::string(9, '\xff'))).has_value());
  EXPECT_FALSE(DecodeControl(Raw(std::string(1 << 20, '\0'))).has_value());
}

}  // namespace
}  // namespace gyre::internal::inline tests

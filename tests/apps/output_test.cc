#include "apps/gyre/launch/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace gyre::internal::inline tests {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(OutputTest, LinesGoToTheStreamAndToTheRanksLog) {
  const std::string folder = testing::TempDir() + Cat("out-", ::getpid());
  auto output =
      Output::Open(SpreadRanks(2, 0), Output::Marks::kAll, folder + "/logs");
  ASSERT_TRUE(output.ok()) << output.status();
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  ASSERT_EQ(::write(ends[1], "a\nb", 3), 3);
  testing::internal::CaptureStdout();
  EXPECT_TRUE(output->Drain(1, Output::Stream::kOut, ends[0]));
  ::close(ends[1]);
  EXPECT_FALSE(output->Drain(1, Output::Stream::kOut, ends[0]));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "[1] a\n[1] b\n");
  EXPECT_EQ(ReadFile(folder + "/logs/rank-1.log"), "[1] a\n[1] b\n");
  EXPECT_EQ(ReadFile(folder + "/logs/rank-0.log"), "");
  ::close(ends[0]);
  std::filesystem::remove_all(folder);
}

TEST(OutputTest, RankZerosStandardOutputCanStayUnmarked) {
  auto output = Output::Open(SpreadRanks(2, 0), Output::Marks::kNotRank0, "");
  ASSERT_TRUE(output.ok()) << output.status();
  for (const int rank : {0, 1}) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
    ASSERT_EQ(::write(ends[1], "{}\n", 3), 3);
    testing::internal::CaptureStdout();
    EXPECT_TRUE(output->Drain(rank, Output::Stream::kOut, ends[0]));
    EXPECT_EQ(testing::internal::GetCapturedStdout(),
              rank == 0 ? "{}\n" : "[1] {}\n");
    ::close(ends[0]);
    ::close(ends[1]);
  }
}

TEST(OutputTest, LinesOfAProcessOfSeveralRanksNameThemAll) {
  const std::string folder = testing::TempDir() + Cat("spans-", ::getpid());
  auto output = Output::Open(SpreadRanks(5, 2), Output::Marks::kAll, folder);
  ASSERT_TRUE(output.ok()) << output.status();
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  const std::string text =
      "error: rank 3: lost\nerror: rank 4: lost\nerror: rank 2: no\n";
  ASSERT_GT(::write(ends[1], text.data(), text.size()), 0);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(output->Drain(1, Output::Stream::kErr, ends[0]));
  // The second is a repetition, the third is not a rank of this process.
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "[3-4] error: rank 3: lost\n[3-4] error: rank 2: no\n");
  EXPECT_NE(ReadFile(folder + "/ranks-3-4.log").find("rank 4: lost"),
            std::string::npos);
  EXPECT_EQ(
      output->RepeatedErrorLines(),
      std::vector<std::string>{"rank 4 gave the same error as rank 3: lost"});
  ::close(ends[0]);
  ::close(ends[1]);
  std::filesystem::remove_all(folder);
}

TEST(OutputTest, AFolderThatCannotBeIsAnError) {
  const auto output =
      Output::Open(SpreadRanks(1, 0), Output::Marks::kNone, "/proc/no/such");
  ASSERT_FALSE(output.ok());
  EXPECT_EQ(KindOf(output.status()), ErrorKind::kConfig);
  EXPECT_NE(Message(output.status()).find("--log-dir /proc/no/such"),
            std::string::npos);
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "apps/gyre/launch/rank_process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "gyre/core/clock.h"

namespace gyre::internal::inline tests {
namespace {

RankCommand Shell(const std::string& script) {
  RankCommand command;
  command.rank = 3;
  command.program = "/bin/sh";
  command.arguments = {"sh", "-c", script};
  return command;
}

// All output, until the rank closes it.
std::string ReadAll(int fd) {
  std::string text;
  char buffer[256];
  while (true) {
    pollfd event = {fd, POLLIN, 0};
    if (::poll(&event, 1, 20'000) != 1) return text + "(timeout)";
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

RankEnd WaitForEnd(RankProcess& rank) {
  for (const Stopwatch clock; clock.Seconds() < 20; ::usleep(1000)) {
    if (const auto end = rank.Poll()) return *end;
  }
  ADD_FAILURE() << "the rank did not end";
  rank.Signal(SIGKILL);
  return {};
}

TEST(RankProcessTest, OutputEnvironmentAndExitCode) {
  RankCommand command = Shell("echo out $X; echo err >&2; exit 7");
  command.env = {{"X", "a b"}};
  command.ranks = 2;
  auto rank = RankProcess::Start(command);
  ASSERT_TRUE(rank.ok()) << rank.status();
  EXPECT_EQ(ReadAll(rank->out()), "out a b\n");
  EXPECT_EQ(ReadAll(rank->err()), "err\n");
  const RankEnd end = WaitForEnd(*rank);
  EXPECT_EQ(end.rank, 3);
  EXPECT_EQ(end.ranks, 2);
  EXPECT_EQ(end.code, 7);
  EXPECT_EQ(end.signal, 0);
  EXPECT_FALSE(rank->running());
  EXPECT_FALSE(rank->Poll().has_value());  // told once
}

TEST(RankProcessTest, SignalsReachItAndAreReported) {
  auto rank = RankProcess::Start(Shell("echo up; exec sleep 60"));
  ASSERT_TRUE(rank.ok());
  EXPECT_FALSE(rank->Poll().has_value());
  rank->Signal(SIGTERM);
  EXPECT_EQ(WaitForEnd(*rank).signal, SIGTERM);
}

TEST(RankProcessTest, WhatItStartedDoesNotOutliveIt) {
  // The grandchild keeps the pipe open: it closes when that one is gone.
  auto rank = RankProcess::Start(Shell("sleep 60 & exit 0"));
  ASSERT_TRUE(rank.ok());
  EXPECT_EQ(WaitForEnd(*rank).code, 0);
  EXPECT_EQ(ReadAll(rank->out()), "");
}

TEST(RankProcessTest, AnInheritedFileIsOpenInTheRank) {
  auto file = CreateMemfd("test");
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(::write(file->get(), "kept", 4), 4);
  RankCommand command = Shell(Cat("cat /proc/self/fd/", file->get()));
  command.inherited_fd = file->get();
  auto rank = RankProcess::Start(command);
  ASSERT_TRUE(rank.ok());
  EXPECT_EQ(ReadAll(rank->out()), "kept");
  EXPECT_EQ(WaitForEnd(*rank).code, 0);
}

TEST(RankProcessTest, AProgramThatCannotBeExecutedIsAnError) {
  RankCommand command = Shell("");
  command.program = "/no/such/program";
  const auto rank = RankProcess::Start(command);
  ASSERT_FALSE(rank.ok());
  EXPECT_EQ(KindOf(rank.status()), ErrorKind::kConfig);
  EXPECT_NE(Message(rank.status()).find("/no/such/program"), std::string::npos);
}

}  // namespace
}  // namespace gyre::internal::inline tests

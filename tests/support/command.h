// A command run as a person would run it, for tests of whole programs.

#ifndef GYRE_TESTS_SUPPORT_COMMAND_H_
#define GYRE_TESTS_SUPPORT_COMMAND_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gyre/collectives/shm/memfd.h"
#include "gyre/core/clock.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline tests {

struct Result {
  int code = -1;
  std::string text;  // both streams
  double seconds = 0;
};

// A command whose output is read as it comes.
class Command {
 public:
  explicit Command(std::vector<std::string> arguments) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    std::vector<char*> argv;
    for (std::string& text : arguments) argv.push_back(text.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::dup2(ends[1], STDERR_FILENO);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    output_ = FileHandle(ends[0]);
  }
  ~Command() {
    if (pid_ > 0) Finish();
  }

  pid_t pid() const { return pid_; }

  // Reads until `text` has come `times` times. False: the end came first.
  bool WaitFor(const std::string& text, int times = 1) {
    while (Count(text) < times) {
      if (!ReadSome()) return false;
    }
    return true;
  }

  const std::string& text() const { return text_; }  // so far

  // The pid that a rank of the probe printed.
  pid_t RankPid(int rank) const {
    std::istringstream lines(text_);
    const std::string mark = Cat("rank ", rank, " of ");
    for (std::string line; std::getline(lines, line);) {
      if (line.find(mark) == std::string::npos) continue;
      return static_cast<pid_t>(std::stol(line.substr(line.find("pid ") + 4)));
    }
    return -1;
  }

  Result Finish() {
    while (ReadSome()) {
    }
    int state = 0;
    ::waitpid(pid_, &state, 0);
    pid_ = -1;
    return {WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state),
            text_,
            clock_.Seconds()};
  }

 private:
  int Count(const std::string& text) const {
    int count = 0;
    for (auto at = text_.find(text); at != std::string::npos;
         at = text_.find(text, at + 1)) {
      ++count;
    }
    return count;
  }
  bool ReadSome() {
    pollfd event = {output_.get(), POLLIN, 0};
    if (::poll(&event, 1, 60'000) != 1) {
      ADD_FAILURE() << "no output for a minute after:\n" << text_;
      ::kill(pid_, SIGKILL);
      return false;
    }
    char buffer[1024];
    const ssize_t n = ::read(output_.get(), buffer, sizeof buffer);
    if (n > 0) text_.append(buffer, static_cast<std::size_t>(n));
    return n > 0;
  }

  pid_t pid_ = -1;
  FileHandle output_;
  std::string text_;
  Stopwatch clock_;
};

// Runs it to its end.
inline Result RunCommand(std::vector<std::string> arguments) {
  return Command(std::move(arguments)).Finish();
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_COMMAND_H_

// A program that runs beside a test, and ends with it.

#ifndef GYRE_TESTS_SUPPORT_DAEMON_H_
#define GYRE_TESTS_SUPPORT_DAEMON_H_

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "gyre/core/clock.h"

namespace gyre::internal::inline tests {

class Daemon {
 public:
  // Its output goes to the file `log`.
  Daemon(std::vector<std::string> arguments, const std::string& log) {
    std::vector<char*> argv;
    for (std::string& text : arguments) argv.push_back(text.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int file =
        ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  Daemon(Daemon&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  ~Daemon() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGTERM);
    for (const Stopwatch clock; clock.Seconds() < 10; ::usleep(5000)) {
      if (::waitpid(pid_, nullptr, WNOHANG) == pid_) return;
    }
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_ = -1;
};

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_DAEMON_H_

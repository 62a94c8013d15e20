#include "apps/gyre/launch/rank_process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace gyre::internal::inline apps {
namespace {

struct Pipe {
  FileHandle read;
  FileHandle write;
};

StatusOr<Pipe> MakePipe(int read_flags) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return InternalError("gyre launch: no pipe: ", std::strerror(errno));
  }
  if (read_flags != 0) ::fcntl(ends[0], F_SETFL, read_flags);
  return Pipe{FileHandle(ends[0]), FileHandle(ends[1])};
}

// What nobody reads any more is of no use to anybody.
void WriteText(const FileHandle& to, const std::string& text) {
  [[maybe_unused]] const ssize_t n =
      ::write(to.get(), text.data(), text.size());
}

// The launcher's environment with `changes` in it.
std::vector<std::string> Environment(
    const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    const std::string name = text.substr(0, text.find('='));
    const bool changed =
        std::any_of(changes.begin(), changes.end(), [&](const auto& change) {
          return change.first == name;
        });
    if (!changed) entries.push_back(text);
  }
  for (const auto& [name, value] : changes) {
    entries.push_back(name + "=" + value);
  }
  return entries;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// All that the child needs, made before the fork: after it, only calls that
// are safe there.
struct ChildPlan {
  const char* program;
  char* const* arguments;
  char* const* environment;
  int inherited_fd;
  int in;   // -1: nothing to read
  int out;  // -1: the launcher's own
  int err;
  int trouble;  // where to tell that exec failed
  pid_t launcher;
  const cpu_set_t* processors;  // null: as the launcher
};

cpu_set_t SetOf(const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int p : processors) CPU_SET(p, &set);
  return set;
}

[[noreturn]] void RunChild(const ChildPlan& plan) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.launcher) ::_exit(1);  // it died in between
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  // Without them it runs all the same, elsewhere.
  if (plan.processors != nullptr) {
    ::sched_setaffinity(0, sizeof *plan.processors, plan.processors);
  }
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(plan.in >= 0 ? plan.in : null, STDIN_FILENO);
  if (null > STDERR_FILENO) ::close(null);
  if (plan.out >= 0) ::dup2(plan.out, STDOUT_FILENO);
  if (plan.err >= 0) ::dup2(plan.err, STDERR_FILENO);
  if (plan.inherited_fd >= 0) ::fcntl(plan.inherited_fd, F_SETFD, 0);
  ::execve(plan.program, plan.arguments, plan.environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t n =
      ::write(plan.trouble, &error, sizeof error);
  ::_exit(1);
}

}  // namespace

StatusOr<RankProcess> RankProcess::Start(const RankCommand& command) {
  Pipe out;
  Pipe err;
  if (command.capture) {
    GYRE_ASSIGN_OR_RETURN(out, MakePipe(O_NONBLOCK));
    GYRE_ASSIGN_OR_RETURN(err, MakePipe(O_NONBLOCK));
  }
  Pipe control;
  if (command.controlled) {
    GYRE_ASSIGN_OR_RETURN(control, MakePipe(0));
    WriteText(control.write, command.first_line);
  }
  GYRE_ASSIGN_OR_RETURN(Pipe trouble, MakePipe(0));
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = Environment(command.env);
  const std::vector<char*> argv = Pointers(arguments);
  const std::vector<char*> envp = Pointers(environment);
  const cpu_set_t processors = SetOf(command.processors);
  const ChildPlan plan = {command.program.c_str(),
                          argv.data(),
                          envp.data(),
                          command.inherited_fd,
                          control.read.get(),
                          out.write.get(),
                          err.write.get(),
                          trouble.write.get(),
                          ::getpid(),
                          command.processors.empty() ? nullptr : &processors};
  const pid_t pid = ::fork();
  if (pid < 0) {
    return InternalError("gyre launch: no process for rank ",
                         command.rank,
                         ": ",
                         std::strerror(errno));
  }
  if (pid == 0) RunChild(plan);
  ::setpgid(pid, pid);  // whoever comes first; the other one is too late
  trouble.write = FileHandle();
  int error = 0;
  if (::read(trouble.read.get(), &error, sizeof error) == sizeof error) {
    ::waitpid(pid, nullptr, 0);
    return ConfigError("gyre launch: cannot run ",
                       command.program,
                       ": ",
                       std::strerror(error));
  }
  return RankProcess({command.rank, command.ranks},
                     pid,
                     std::move(out.read),
                     std::move(err.read),
                     std::move(control.write));
}

void RankProcess::Signal(int signal) const {
  if (!running_) return;
  if (control_.get() >= 0) {
    WriteText(control_, Cat(signal, "\n"));
  } else {
    ::kill(-pid_, signal);
  }
}

bool RankProcess::Kill() {
  if (!running_) return true;
  if (control_.get() >= 0) {
    control_ = FileHandle();
    return false;
  }
  ::kill(-pid_, SIGKILL);
  return true;
}

std::optional<RankEnd> RankProcess::Poll() {
  siginfo_t info = {};
  if (!running_ ||
      ::waitid(
          P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) !=
          0 ||
      info.si_pid != pid_) {
    return std::nullopt;
  }
  // Before it is reaped, the number of its group cannot belong to others.
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  running_ = false;
  RankEnd end;
  end.rank = ranks_.first;
  end.ranks = ranks_.count;
  if (info.si_code == CLD_EXITED) {
    end.code = info.si_status;
  } else {
    end.signal = info.si_status;
  }
  return end;
}

}  // namespace gyre::internal::inline apps

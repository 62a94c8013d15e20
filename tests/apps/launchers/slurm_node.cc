#include "tests/apps/launchers/slurm_node.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "gyre/core/io/file.h"
#include "tests/support/command.h"
#include "tests/support/free_port.h"

namespace gyre::internal::inline tests {
namespace {

constexpr char kMunged[] = "/usr/sbin/munged";
constexpr char kController[] = "/usr/sbin/slurmctld";
constexpr char kNode[] = "/usr/sbin/slurmd";

std::string HostName() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  const std::string text = name;
  return text.substr(0, text.find('.'));
}

std::string UserName() {
  const passwd* const user = ::getpwuid(::getuid());
  return user == nullptr ? "root" : user->pw_name;
}

void WriteKey(const std::string& path) {
  std::random_device random;
  std::ofstream file(path, std::ios::binary);
  for (int i = 0; i < 256; ++i) file.put(static_cast<char>(random()));
  file.close();
  ::chmod(path.c_str(), 0600);
}

}  // namespace

std::string SlurmNode::Missing() {
  for (const char* program :
       {kMunged, kController, kNode, "/usr/bin/srun", "/usr/bin/sinfo"}) {
    if (::access(program, X_OK) == 0) continue;
    return Cat("no ",
               program,
               "; the Debian packages slurmctld, slurmd, slurm-client and "
               "munge have it");
  }
  return "";
}

SlurmNode::SlurmNode() {
  ::chmod(dir_.path().c_str(), 0755);  // munge's socket must be reachable
  ::mkdir((dir_ / "state").c_str(), 0755);
  ::mkdir((dir_ / "spool").c_str(), 0755);
  WriteKey(dir_ / "munge.key");
  WriteConfig();
  daemons_.emplace_back(
      std::vector<std::string>{kMunged,
                               "--foreground",
                               "--force",
                               "--socket=" + (dir_ / "munge.socket"),
                               "--key-file=" + (dir_ / "munge.key"),
                               "--pid-file=" + (dir_ / "munge.pid"),
                               "--seed-file=" + (dir_ / "munge.seed"),
                               "--log-file=" + (dir_ / "munge.log")},
      dir_ / "munged.out");
  for (const Stopwatch clock;
       clock.Seconds() < 10 && !FileExists(dir_ / "munge.socket");) {
    ::usleep(10'000);
  }
  daemons_.emplace_back(
      std::vector<std::string>{
          kController, "-i", "-D", "-f", dir_ / "slurm.conf"},
      dir_ / "slurmctld.out");
  daemons_.emplace_back(
      std::vector<std::string>{kNode, "-D", "-f", dir_ / "slurm.conf"},
      dir_ / "slurmd.out");
}

void SlurmNode::WriteConfig() const {
  const std::string host = HostName();
  std::ofstream file(dir_ / "slurm.conf");
  file << "ClusterName=gyre\n"
       << "SlurmctldHost=" << host << "(127.0.0.1)\n"
       << "SlurmUser=" << UserName() << "\nSlurmdUser=" << UserName() << "\n"
       << "AuthType=auth/munge\nCredType=cred/munge\n"
       << "AuthInfo=socket=" << dir_ / "munge.socket"
       << "\n"
       << "SlurmctldPort=" << FreePort() << "\n"
       << "SlurmdPort=" << FreePort() << "\n"
       << "StateSaveLocation=" << dir_ / "state"
       << "\n"
       << "SlurmdSpoolDir=" << dir_ / "spool"
       << "\n"
       << "SlurmctldPidFile=" << dir_ / "slurmctld.pid"
       << "\n"
       << "SlurmdPidFile=" << dir_ / "slurmd.pid"
       << "\n"
       << "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n"
       << "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n"
       // More processors than there may be: tests are not about speed.
       << "SlurmdParameters=config_overrides\nMpiDefault=none\n"
       << "ReturnToService=2\nKillWait=5\nMinJobAge=60\n"
       << "NodeName=" << host << " NodeAddr=127.0.0.1 CPUs=4\n"
       << "PartitionName=main Nodes=ALL Default=YES State=UP\n";
}

std::vector<std::string> SlurmNode::Slurm(
    std::vector<std::string> command) const {
  command.insert(command.begin(),
                 {"/usr/bin/env", "SLURM_CONF=" + (dir_ / "slurm.conf")});
  return command;
}

bool SlurmNode::WaitUntilIdle() const {
  for (const Stopwatch clock; clock.Seconds() < 40; ::usleep(200'000)) {
    const Result state = RunCommand(Slurm({"sinfo", "-h", "-o", "%T"}));
    if (state.code == 0 && state.text.rfind("idle", 0) == 0) return true;
  }
  return false;
}

std::string SlurmNode::Logs() const {
  std::string text;
  for (const char* name : {"munged.out", "slurmctld.out", "slurmd.out"}) {
    text += Cat("--- ", name, "\n", ReadFile(dir_ / name).value_or(""));
  }
  return text;
}

}  // namespace gyre::internal::inline tests

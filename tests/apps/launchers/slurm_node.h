// A Slurm cluster of one node, this machine, for the length of a test: its
// own munged, slurmctld and slurmd, in a folder that is removed afterwards.
//
//   if (!SlurmNode::Missing().empty()) GTEST_SKIP() << SlurmNode::Missing();
//   SlurmNode node;
//   ASSERT_TRUE(node.WaitUntilIdle()) << node.Logs();
//   RunCommand(node.Slurm({"srun", "-n", "4", program}));

#ifndef GYRE_TESTS_APPS_LAUNCHERS_SLURM_NODE_H_
#define GYRE_TESTS_APPS_LAUNCHERS_SLURM_NODE_H_

#include <string>
#include <vector>

#include "tests/support/daemon.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {

class SlurmNode {
 public:
  // What is not installed, with the packages that have it; "" when all is.
  static std::string Missing();

  SlurmNode();

  bool WaitUntilIdle() const;
  // The command with what it takes to reach this cluster.
  std::vector<std::string> Slurm(std::vector<std::string> command) const;
  std::string path() const { return dir_.path(); }
  // What the daemons have said, for a failure's message.
  std::string Logs() const;

 private:
  void WriteConfig() const;

  TempDir dir_;
  std::vector<Daemon> daemons_;
};

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_APPS_LAUNCHERS_SLURM_NODE_H_

#include "tests/collectives/launch/environment.h"

namespace gyre::internal::inline tests {
namespace {

// The third of four processes on two nodes.
const Environment kTorchrun = {{"TORCHELASTIC_RUN_ID", "none"},
                               {"RANK", "2"},
                               {"LOCAL_RANK", "0"},
                               {"GROUP_RANK", "1"},
                               {"WORLD_SIZE", "4"},
                               {"LOCAL_WORLD_SIZE", "2"},
                               {"MASTER_ADDR", "node1"},
                               {"MASTER_PORT", "29500"}};

TEST(TorchrunTest, Understood) {
  ExpectLaunched(kTorchrun, {"torchrun", 2, 4, 0, 2, "node1:29500"});
  ExpectLaunched(With(kTorchrun, {{"MASTER_ADDR", "fd00::7"}}),
                 {"torchrun", 2, 4, 0, 2, "[fd00::7]:29500"});
  ExpectLaunched(With(kTorchrun, {{"GYRE_COORDINATOR", "other:1"}}),
                 {"torchrun", 2, 4, 0, 2, "other:1"});
}

TEST(TorchrunTest, APortThatTorchrunUsesItselfIsNotOurs) {
  ExpectLaunched(With(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "True"}}),
                 {"torchrun", 2, 4, 0, 2, Cat("node1:", 61440 + 29500 % 4096)});
}

TEST(TorchrunTest, KubeflowCountsNodesByTheSameNames) {
  ExpectLaunched(
      {{"RANK", "1"},
       {"WORLD_SIZE", "2"},
       {"MASTER_ADDR", "job-master-0"},
       {"MASTER_PORT", "23456"}},
      {"Kubeflow (one rank a node)", 1, 2, 0, 1, "job-master-0:23456"});
}

TEST(TorchrunTest, WordsThatAnybodyMayUse) {
  ExpectNotLaunched({{"RANK", "captain"}});
  ExpectNotLaunched({{"WORLD_SIZE", "3"}});
  ExpectNotLaunched({{"MASTER_ADDR", "node1"}, {"LOCAL_RANK", "0"}});
}

TEST(TorchrunTest, ContradictionsAreNamed) {
  ExpectRefused(With(kTorchrun, {{"RANK", "-"}}), "RANK is not set, but");
  ExpectRefused(With(kTorchrun, {{"MASTER_PORT", "-"}}),
                "MASTER_PORT is not set, but RANK=2, WORLD_SIZE=4");
  ExpectRefused(With(kTorchrun, {{"RANK", "4"}}),
                "RANK=4, WORLD_SIZE=4, LOCAL_RANK=0, LOCAL_WORLD_SIZE=2 "
                "contradict each other");
  ExpectRefused(With(kTorchrun, {{"RANK", "0"}, {"LOCAL_RANK", "1"}}),
                "Does it hold the number of the node?");
  ExpectRefused(With(kTorchrun, {{"LOCAL_RANK", "2"}, {"RANK", "3"}}),
                "less than the local size");
  ExpectRefused(With(kTorchrun, {{"MASTER_PORT", "http"}}),
                "MASTER_PORT=\"http\"");
  ExpectRefused(With(kTorchrun, {{"MASTER_ADDR", ""}}), "MASTER_ADDR is empty");
  ExpectRefused(With(kTorchrun, {{"GYRE_COORDINATOR", "node1"}}),
                "host:port was expected");
}

}  // namespace
}  // namespace gyre::internal::inline tests

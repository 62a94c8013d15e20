#include "tests/collectives/launch/environment.h"

namespace gyre::internal::inline tests {
namespace {

// The last but one of seven tasks on four nodes.
const Environment kTask = {{"SLURM_JOB_ID", "5000"},
                           {"SLURM_STEP_ID", "0"},
                           {"SLURM_PROCID", "5"},
                           {"SLURM_LOCALID", "1"},
                           {"SLURM_NODEID", "2"},
                           {"SLURM_NTASKS", "7"},
                           {"SLURM_STEP_NUM_TASKS", "7"},
                           {"SLURM_STEP_TASKS_PER_NODE", "2(x3),1"},
                           {"SLURM_STEP_NODELIST", "node[1-3,7]-ib"}};

TEST(SlurmTest, ATaskOfAStep) {
  ExpectLaunched(kTask, {"Slurm", 5, 7, 1, 2, "node1-ib:62344"});
  const auto launch = ReadLaunchEnv(From(kTask));
  EXPECT_EQ((*launch)->token, "job-5000.0");
}

TEST(SlurmTest, OnOneNodeTheyMeetOnTheLoopback) {
  ExpectLaunched({{"SLURM_JOB_ID", "1"},
                  {"SLURM_STEP_ID", "3"},
                  {"SLURM_PROCID", "1"},
                  {"SLURM_LOCALID", "1"},
                  {"SLURM_NODEID", "0"},
                  {"SLURM_STEP_NUM_TASKS", "4"},
                  {"SLURM_STEP_TASKS_PER_NODE", "4"},
                  {"SLURM_STEP_NODELIST", "localhost"}},
                 {"Slurm", 1, 4, 1, 4, "127.0.0.1:61441"});
}

TEST(SlurmTest, TheSizeOfTheStepCountsNotThatOfTheJob) {
  ExpectLaunched(With(kTask, {{"SLURM_NTASKS", "64"}}),
                 {"Slurm", 5, 7, 1, 2, "node1-ib:62344"});
}

TEST(SlurmTest, WhatIsNotAStepIsAWorldOfOne) {
  // A batch script, the shell of salloc, and a login shell on a node.
  ExpectNotLaunched(With(kTask, {{"SLURM_STEP_ID", "-"}}));
  ExpectNotLaunched(With(kTask, {{"SLURM_STEP_ID", "4294967291"}}));
  ExpectNotLaunched(With(kTask, {{"SLURM_PROCID", "-"}}));
  ExpectNotLaunched({{"SLURM_JOB_ID", "5000"}, {"SLURM_NTASKS", "7"}});
}

TEST(SlurmTest, ContradictionsAreNamed) {
  ExpectRefused(With(kTask, {{"SLURM_PROCID", "7"}}),
                "SLURM_PROCID=7, SLURM_STEP_NUM_TASKS=7");
  ExpectRefused(With(kTask, {{"SLURM_NODEID", "3"}}),
                "the local rank must be less than the local size");
  ExpectRefused(With(kTask, {{"SLURM_NODEID", "4"}}),
                "SLURM_NODEID=4, SLURM_STEP_TASKS_PER_NODE=2(x3),1");
  ExpectRefused(With(kTask, {{"SLURM_STEP_TASKS_PER_NODE", "2(x"}}),
                "SLURM_STEP_TASKS_PER_NODE=\"2(x\"");
  ExpectRefused(With(kTask, {{"SLURM_STEP_NODELIST", "node["}}),
                "SLURM_STEP_NODELIST=\"node[\"");
  ExpectRefused(
      With(kTask, {{"SLURM_STEP_NUM_TASKS", "-"}, {"SLURM_NTASKS", "-"}}),
      "SLURM_NTASKS is not set");
}

}  // namespace
}  // namespace gyre::internal::inline tests

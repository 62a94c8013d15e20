#include "tests/collectives/launch/environment.h"

namespace gyre::internal::inline tests {
namespace {

const Environment kPod = {{"JOB_COMPLETION_INDEX", "2"},
                          {"GYRE_WORLD_SIZE", "4"},
                          {"GYRE_COORDINATOR", "train-0.train:29400"}};

TEST(KubernetesTest, APodOfAnIndexedJob) {
  ExpectLaunched(kPod, {"Kubernetes", 2, 4, 0, 1, "train-0.train:29400"});
}

TEST(KubernetesTest, PodsThatAreRunsOfTheirOwn) {
  ExpectLaunched({{"JOB_COMPLETION_INDEX", "2"}, {"GYRE_WORLD_SIZE", "1"}},
                 {"Kubernetes", 0, 1, -1, 0, ""});
}

TEST(KubernetesTest, WhatIsMissingIsNamed) {
  ExpectRefused(With(kPod, {{"GYRE_WORLD_SIZE", "-"}}),
                "JOB_COMPLETION_INDEX=2, but GYRE_WORLD_SIZE is not set");
  ExpectRefused(With(kPod, {{"GYRE_COORDINATOR", "-"}}),
                "GYRE_COORDINATOR is not set");
  ExpectRefused(With(kPod, {{"JOB_COMPLETION_INDEX", "4"}}),
                "JOB_COMPLETION_INDEX=4, GYRE_WORLD_SIZE=4");
  ExpectRefused(With(kPod, {{"GYRE_COORDINATOR", "fd00::1:29400"}}),
                "GYRE_COORDINATOR=\"fd00::1:29400\"");
}

}  // namespace
}  // namespace gyre::internal::inline tests

// The manifest of docs/clusters, its environment simulated: a process for
// each pod.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "gyre/collectives/grpc/tls_identity.h"
#include "gyre/core/io/file.h"
#include "tests/support/command.h"
#include "tests/support/free_port.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

// The value that follows "name: NAME" in the manifest.
std::string ValueOf(const std::string& manifest, const std::string& name) {
  const std::size_t at = manifest.find("- name: " + name + "\n");
  if (at == std::string::npos) return "(no " + name + ")";
  const std::string key = "value: \"";
  const std::size_t start = manifest.find(key, at) + key.size();
  return manifest.substr(start, manifest.find('"', start) - start);
}

TEST(KubernetesLaunchTest, ThePodsOfTheManifestMeetOverTls) {
  const auto manifest = ReadFile(GYRE_DOCS "/clusters/storm-job.yaml");
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(ValueOf(*manifest, "GYRE_WORLD_SIZE"), "4");
  EXPECT_EQ(ValueOf(*manifest, "GYRE_COORDINATOR"), "storm-0.storm:29400");
  EXPECT_EQ(ValueOf(*manifest, "GYRE_TLS"), "/certificates/storm.pem");
  EXPECT_THAT(*manifest, testing::HasSubstr("- name: GYRE_RUN_TOKEN"));
  EXPECT_THAT(*manifest, testing::HasSubstr("completions: 4"));

  const TempDir dir;
  const auto identity = MakeRunIdentity();
  ASSERT_TRUE(identity.ok()) << identity.status();
  ASSERT_TRUE(WriteFileAtomically(dir / "storm.pem", Bundle(*identity)).ok());
  const std::string port = Cat(FreePort());
  std::vector<std::unique_ptr<Command>> pods;
  for (int index = 0; index < 4; ++index) {
    pods.push_back(std::make_unique<Command>(
        std::vector<std::string>{"/usr/bin/env",
                                 Cat("JOB_COMPLETION_INDEX=", index),
                                 "GYRE_WORLD_SIZE=4",
                                 "GYRE_COORDINATOR=localhost:" + port,
                                 "GYRE_RUN_TOKEN=secret",
                                 "GYRE_TLS=" + (dir / "storm.pem"),
                                 "GYRE_COLLECTIVES=grpc",
                                 GYRE_PROBE,
                                 "sum"}));
  }
  for (int index = 0; index < 4; ++index) {
    const Result result = pods[index]->Finish();
    EXPECT_EQ(result.code, 0) << result.text;
    EXPECT_THAT(result.text, testing::HasSubstr(Cat("rank ", index, " of 4")));
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

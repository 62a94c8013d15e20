#include "gyre/train/start_run.h"

#include <gtest/gtest.h>

#include "gyre/collectives/local/local_world.h"
#include "gyre/core/io/file.h"
#include "tests/support/temp_dir.h"

namespace gyre {
namespace {

Status Start(const std::string& path, const std::string& resume) {
  LocalWorld world(2);
  return world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", 2}}));
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run, StartRun(mesh, path, resume));
    if (comm.rank() != 0) return OkStatus();
    return run.WriteRunJson(Json::Object({{"resume", resume}}));
  });
}

TEST(StartRun, SetsAnOlderRunAsideButGoesOnInTheOneItResumes) {
  const TempDir dir;
  const std::string path = dir / "run";
  ASSERT_TRUE(Start(path, "").ok());
  ASSERT_TRUE(Start(path, "").ok());
  EXPECT_TRUE(FileExists(path + ".1/run.json"));
  ASSERT_TRUE(Start(path, path).ok());
  ASSERT_TRUE(Start(path, path + "/checkpoints/latest").ok());
  EXPECT_FALSE(FileExists(path + ".2"));
  ASSERT_TRUE(Start(path, path + ".1").ok());  // another run's checkpoint
  EXPECT_TRUE(FileExists(path + ".2/run.json"));
}

}  // namespace
}  // namespace gyre

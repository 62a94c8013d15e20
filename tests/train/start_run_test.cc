#include "gyre/train/run/start_run.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "gyre/collectives/local/local_world.h"
#include "gyre/core/io/file.h"
#include "tests/support/backends.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
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

// Ranks may be processes, which make no assertions: what is wrong, or "".
Status WantText(const std::string& got, const std::string& wanted) {
  if (got.find(wanted) != std::string::npos) return OkStatus();
  return InternalError("got \"", got, "\", wanted \"", wanted, "\"");
}

void StartOnEveryBackend(
    const std::function<Status(const Mesh&, const std::string& dir)>& body) {
  for (const char* backend : {"local", "shm", "grpc", "hosts"}) {
    for (const int ranks : {1, 2, 4}) {
      const TempDir dir;
      const Status status =
          RunOn(backend, ranks, [&](Communicator& comm) -> Status {
            GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                                  Mesh::Create(comm, {{"data", -1}}));
            return body(mesh, dir.path());
          });
      EXPECT_TRUE(status.ok()) << backend << " " << ranks << ": " << status;
    }
  }
}

TEST(StartRun, WhenAnyRankReturnsTheRecordsAreThereAndNameTheProgram) {
  StartOnEveryBackend([](const Mesh& mesh, const std::string& dir) -> Status {
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run, StartRun(mesh, dir + "/run"));
    GYRE_ASSIGN_OR_RETURN(const std::string text, ReadFile(run.run_json()));
    GYRE_RETURN_IF_ERROR(WantText(text, "\"program\": \"train_test"));
    return WantText(text, Cat("\"world\": ", mesh.size()));
  });
}

TEST(StartRun, WhatFailsOnOneRankFailsOnAll) {
  StartOnEveryBackend([](const Mesh& mesh, const std::string& dir) -> Status {
    const int last = mesh.size() - 1;
    // Where the last rank tries whether it can write, there is a folder.
    if (mesh.rank() == 0) {
      std::filesystem::create_directories(
          Cat(dir, "/run/ranks/.probe-", last, "/full"));
    }
    GYRE_RETURN_IF_ERROR(mesh.world().Barrier({.label = "made"}));
    const Status status = StartRun(mesh, dir + "/run").status();
    GYRE_RETURN_IF_ERROR(WantText(Message(status), "as the run directory"));
    if (last > 0) {
      GYRE_RETURN_IF_ERROR(
          WantText(Message(status), Cat("on rank ", last, ": ")));
    }
    return mesh.world().Barrier({.label = "all have heard"});
  });
}

TEST(StartRun, OnePathForAllRanks) {
  StartOnEveryBackend([](const Mesh& mesh, const std::string& dir) -> Status {
    if (mesh.size() == 1) return OkStatus();
    // As a program does that puts the time into its name.
    const Status status =
        StartRun(mesh, Cat(dir, "/run-", mesh.rank() == 1 ? 8 : 7)).status();
    if (KindOf(status) != ErrorKind::kMismatch) return InternalError("kind");
    return WantText(Message(status),
                    "rank 1 has another run directory than rank 0");
  });
}

}  // namespace
}  // namespace gyre::internal::inline tests

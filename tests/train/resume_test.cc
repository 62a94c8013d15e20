#include "gyre/train/checkpoint/resume.h"

#include <gtest/gtest.h>

#include "gyre/collectives/local/local_world.h"
#include "gyre/core/io/file.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "tests/support/backends.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

// Checkpoints before steps 0, 1 and 2 of a run.
void WriteCheckpoints(const std::string& path) {
  LocalWorld world(1);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run, RunDirectory::Create(path));
    LineSource source(0, 1);
    for (int i = 0; i < 3; ++i) {
      GYRE_RETURN_IF_ERROR(SaveCheckpoint(*step, run).status());
      GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
      GYRE_RETURN_IF_ERROR(step->Run(batch).status());
    }
    return OkStatus();
  });
  ASSERT_TRUE(status.ok()) << status;
}

void Change(const std::string& path,
            const std::string& from,
            const std::string& to) {
  std::string text = *ReadFile(path);
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, from.size(), to);
  ASSERT_TRUE(WriteFileAtomically(path, text).ok());
}

TEST(Resume, TheNewestThatIsGoodAndWhole) {
  const TempDir dir;
  const std::string run = dir / "run";
  EXPECT_EQ(*NewestGoodCheckpoint(run), "");
  WriteCheckpoints(run);
  const std::string folder = run + "/checkpoints/";
  EXPECT_EQ(*NewestGoodCheckpoint(run), folder + "step-00000002");
  std::string state =
      *ReadFile(folder + "step-00000002/state-00000.safetensors");
  state.back() ^= 1;
  ASSERT_TRUE(WriteFileAtomically(
                  folder + "step-00000002/state-00000.safetensors", state)
                  .ok());
  EXPECT_EQ(*NewestGoodCheckpoint(run), folder + "step-00000001");
  Change(folder + "step-00000001/manifest.json",
         "\"good\": true",
         "\"good\": false");
  EXPECT_EQ(*NewestGoodCheckpoint(run), folder + "step-00000000");
  // Without a manifest it is no checkpoint.
  ASSERT_EQ(::remove((folder + "step-00000000/manifest.json").c_str()), 0);
  EXPECT_EQ(*NewestGoodCheckpoint(run), "");
}

// On one rank.
StatusOr<std::string> ResumeOnOne(const std::string& out,
                                  const std::string& resume,
                                  int restarts = 0) {
  StatusOr<std::string> from = InternalError("never asked");
  LocalWorld world(1);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    comm.set_run_context({.restarts = restarts});
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", 1}}));
    from = ResumePoint(mesh, out, resume);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return from;
}

TEST(Resume, OnlyARestartLooksForOne) {
  const TempDir dir;
  const std::string run = dir / "run";
  WriteCheckpoints(run);
  EXPECT_EQ(*ResumeOnOne(run, "given"), "given");
  EXPECT_EQ(*ResumeOnOne(run, "given", 1), run + "/checkpoints/step-00000002");
  EXPECT_EQ(*ResumeOnOne(dir / "none", "given", 1), "given");
}

// Each rank is given another place, so that it can only know from rank 0.
TEST(Resume, AllRanksGoOnFromWhatRankZeroHasFound) {
  const TempDir dir;
  const std::string run = dir / "run";
  WriteCheckpoints(run);
  for (const char* backend : {"local", "shm", "grpc", "hosts"}) {
    for (const int ranks : {1, 2, 4}) {
      const Status status =
          RunOn(backend, ranks, [&](Communicator& comm) -> Status {
            comm.set_run_context({.restarts = 1});
            GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                                  Mesh::Create(comm, {{"data", -1}}));
            GYRE_ASSIGN_OR_RETURN(
                const std::string from,
                ResumePoint(mesh, comm.rank() == 0 ? run : "none", "given"));
            if (from == run + "/checkpoints/step-00000002") return OkStatus();
            return InternalError("rank ", comm.rank(), " has ", from);
          });
      EXPECT_TRUE(status.ok()) << backend << " " << ranks << ": " << status;
    }
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "tests/collectives/launch/environment.h"

namespace gyre::internal::inline tests {
namespace {

const Environment kOpenMpi = {{"OMPI_COMM_WORLD_RANK", "1"},
                              {"OMPI_COMM_WORLD_SIZE", "4"},
                              {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                              {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                              {"PMIX_RANK", "1"}};
const Environment kTwoHosts = {{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};

std::string At(const std::string& host, const std::string& token) {
  return Cat(host, ":", PortOfJob(token));
}

TEST(OpenMpiTest, Version4) {
  const Environment uri = {{"OMPI_MCA_orte_hnp_uri",
                            "1531576320.0;tcp://192.168.3.1,10.0.0.1:40931"}};
  ExpectLaunched(With(kOpenMpi, uri),
                 {"Open MPI", 1, 4, 1, 4, At("127.0.0.1", "job-1531576320")});
  ExpectLaunched(With(With(kOpenMpi, uri), kTwoHosts),
                 {"Open MPI", 1, 4, 1, 2, At("192.168.3.1", "job-1531576320")});
}

TEST(OpenMpiTest, Version5) {
  const Environment job = {{"PMIX_NAMESPACE", "prterun-node-1-4711@1"}};
  const std::string token = "job-prterun-node-1-4711@1";
  ExpectLaunched(With(kOpenMpi, job),
                 {"Open MPI", 1, 4, 1, 4, At("127.0.0.1", token)});
  ExpectLaunched(With(With(kOpenMpi, job), kTwoHosts),
                 {"Open MPI", 1, 4, 1, 2, At("node-1", token)});
  ExpectLaunched(With(With(With(kOpenMpi, job), kTwoHosts),
                      {{"SLURM_JOB_NODELIST", "cn[7-8]"}}),
                 {"Open MPI", 1, 4, 1, 2, At("cn7", token)});
}

TEST(OpenMpiTest, WithoutAJobThereIsNoMeetingPlace) {
  ExpectLaunched(kOpenMpi, {"Open MPI", 1, 4, 1, 4, ""});
}

TEST(OpenMpiTest, MpirunInASlurmScriptIsMpirun) {
  ExpectLaunched(With(kOpenMpi,
                      {{"SLURM_JOB_ID", "12"},
                       {"SLURM_STEP_ID", "0"},
                       {"SLURM_PROCID", "0"},
                       {"SLURM_NTASKS", "1"}}),
                 {"Open MPI", 1, 4, 1, 4, At("127.0.0.1", "job-12")});
}

TEST(OpenMpiTest, ContradictionsAreNamed) {
  ExpectRefused(With(kOpenMpi, {{"OMPI_COMM_WORLD_SIZE", "-"}}),
                "OMPI_COMM_WORLD_SIZE is not set, but OMPI_COMM_WORLD_RANK=1");
  ExpectRefused(With(kOpenMpi, {{"PMIX_RANK", "3"}}),
                "OMPI_COMM_WORLD_RANK=1, PMIX_RANK=3 contradict each other");
  ExpectRefused(With(kOpenMpi, {{"OMPI_COMM_WORLD_LOCAL_SIZE", "8"}}),
                "a host cannot have more ranks than the world");
  ExpectRefused(With(kOpenMpi, {{"OMPI_COMM_WORLD_LOCAL_RANK", "2"}}),
                "on a single host, the rank and the local rank are the same");
}

TEST(MpichTest, HydraAndIntel) {
  const Environment hydra = {{"PMI_RANK", "3"},
                             {"PMI_SIZE", "4"},
                             {"MPI_LOCALRANKID", "1"},
                             {"MPI_LOCALNRANKS", "2"}};
  ExpectLaunched(hydra, {"MPICH", 3, 4, 1, 2, ""});
  ExpectLaunched({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}},
                 {"MPICH", 0, 2, -1, 0, ""});
  ExpectRefused({{"PMI_SIZE", "2"}}, "PMI_RANK is not set, but PMI_SIZE=2");
  ExpectRefused({{"PMI_RANK", "2"}, {"PMI_SIZE", "2"}},
                "PMI_RANK=2, PMI_SIZE=2 contradict each other");
}

TEST(MpichTest, SlurmsPmiIsSlurm) {
  ExpectLaunched({{"PMI_RANK", "1"},
                  {"PMI_SIZE", "2"},
                  {"SLURM_STEP_ID", "0"},
                  {"SLURM_PROCID", "1"},
                  {"SLURM_STEP_NUM_TASKS", "2"},
                  {"SLURM_JOB_ID", "9"},
                  {"SLURM_STEP_NODELIST", "a,b"}},
                 {"Slurm", 1, 2, -1, 0, "a:61449"});
}

TEST(PmixTest, NeedsASize) {
  const Environment rank = {{"PMIX_RANK", "1"},
                            {"PMIX_NAMESPACE", "prte-node1-12@3"}};
  ExpectRefused(rank, "nothing tells the number of ranks");
  ExpectLaunched(With(rank, {{"GYRE_WORLD_SIZE", "2"}}),
                 {"PMIx", 1, 2, -1, 0, At("node1", "job-prte-node1-12@3")});
}

}  // namespace
}  // namespace gyre::internal::inline tests

#include "gyre/train/step/program_text.h"

#include <gmock/gmock.h>

#include "gyre/collectives/local/local_world.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

TEST(ProgramText, RanksWithDifferentLossesAreToldWhichLinesDiffer) {
  std::vector<Status> told(4);
  LocalWorld world(4);
  const Status ran = world.Run([&](Communicator& comm) -> Status {
    LineOptions options;
    if (comm.rank() == 1) {
      options.loss = [](Var pred, const BatchVars& b) {
        return mean(abs(pred - b["y"]));
      };
    }
    told[comm.rank()] = MakeLineStep(comm, options).status();
    return OkStatus();
  });
  EXPECT_TRUE(ran.ok()) << ran;
  for (const Status& status : told) {
    EXPECT_EQ(KindOf(status), ErrorKind::kMismatch);
    const std::string text(status.message());
    EXPECT_THAT(text, HasSubstr("rank 1 has another program than rank 0"));
    EXPECT_THAT(text, HasSubstr("line_world.h:"));
    EXPECT_THAT(text, HasSubstr("program_text_test.cc:"));
  }
}

TEST(ProgramText, RanksWithDifferentGuardsAreToldSo) {
  LocalWorld world(2);
  const Status ran = world.Run([&](Communicator& comm) -> Status {
    LineOptions options;
    options.guard.max_norm = comm.rank() + 1.0;
    const Status status = MakeLineStep(comm, options).status();
    EXPECT_EQ(KindOf(status), ErrorKind::kMismatch);
    EXPECT_THAT(std::string(status.message()), HasSubstr("rank 0: guard "));
    return OkStatus();
  });
  EXPECT_TRUE(ran.ok()) << ran;
}

}  // namespace
}  // namespace gyre::internal::inline tests

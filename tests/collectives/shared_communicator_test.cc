#include "gyre/collectives/shared_communicator.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/backends.h"

namespace gyre::internal::inline tests {
namespace {

class CommunicatorTest : public testing::TestWithParam<std::string> {
 protected:
  Status RunRanks(int ranks, const std::function<Status(Communicator&)>& body) {
    return RunOn(GetParam(), ranks, body);
  }
};

TEST_P(CommunicatorTest, KnowsItself) {
  const std::string backend = NameOf(GetParam());
  EXPECT_EQ(
      RunRanks(2,
               [&](Communicator& comm) -> Status {
                 if (comm.backend() != backend || comm.size() != 2 ||
                     comm.rank() < 0 || comm.rank() > 1 ||
                     comm.reduction_order() != OrderOf(GetParam())) {
                   return InternalError(
                       comm.backend(), " ", comm.rank(), "/", comm.size());
                 }
                 return OkStatus();
               }),
      OkStatus());
}

TEST_P(CommunicatorTest, RecordsCarryTheNotesOfAllRanks) {
  EXPECT_EQ(
      RunRanks(
          3,
          [](Communicator& comm) -> Status {
            const auto rank = static_cast<std::uint32_t>(comm.rank());
            for (std::uint32_t round = 0; round < 5; ++round) {
              GYRE_RETURN_IF_ERROR(comm.Barrier(
                  {.label = "notes",
                   .loc = {"x.cc", 7},
                   .bucket = 4,
                   .step = 9,
                   .note = {
                       .flags = rank, .value = round, .checksum = ~0ull}}));
              if (comm.records().size() != 3) return InternalError("records");
              for (std::uint32_t r = 0; r < 3; ++r) {
                const ControlRecord& record = comm.records()[r];
                if (record.note != Note{r, round, ~0ull} ||
                    record.bucket != 4 || record.step != 9 ||
                    record.line != 7 ||
                    record.kind != CollectiveKind::kBarrier ||
                    record.sequence != 2 + round || record.arrival_ns <= 0) {
                  return InternalError("record ", r, " of round ", round);
                }
              }
            }
            return OkStatus();
          }),
      OkStatus());
}

TEST_P(CommunicatorTest, AllocateGivesZeroedAlignedBlocksOfOnesOwn) {
  EXPECT_EQ(
      RunRanks(
          3,
          [](Communicator& comm) -> Status {
            for (const std::size_t bytes : {0u, 1u, 64u, 5000u, 1u << 20}) {
              GYRE_ASSIGN_OR_RETURN(const SharedBuffer buffer,
                                    comm.Allocate(bytes, {.label = "test"}));
              if (buffer.data == nullptr || buffer.bytes != bytes ||
                  reinterpret_cast<std::uintptr_t>(buffer.data) % 64 != 0) {
                return InternalError("block of ", bytes);
              }
              for (std::size_t i = 0; i < bytes; ++i) {
                if (buffer.data[i] != std::byte{0})
                  return InternalError("byte ", i);
              }
              // Nobody else's: what a peer writes to its block is not seen in
              // ours.
              const auto mine = static_cast<std::byte>(comm.rank() + 1);
              std::fill_n(buffer.data, bytes, mine);
              GYRE_RETURN_IF_ERROR(comm.Barrier({}));
              for (std::size_t i = 0; i < bytes; ++i) {
                if (buffer.data[i] != mine)
                  return InternalError("shared byte ", i);
              }
            }
            return OkStatus();
          }),
      OkStatus());
}

TEST_P(CommunicatorTest, AllocatingOtherSizesIsAMismatch) {
  EXPECT_EQ(RunRanks(2,
                     [](Communicator& comm) -> Status {
                       const auto buffer =
                           comm.Allocate(comm.rank() == 0 ? 64 : 128, {});
                       return KindOf(buffer.status()) == ErrorKind::kMismatch
                                  ? OkStatus()
                                  : InternalError("got: ",
                                                  Message(buffer.status()));
                     }),
            OkStatus());
}

TEST_P(CommunicatorTest, AllocatingTooMuchIsAnErrorWithTheNumberOnAllRanks) {
  EXPECT_EQ(RunRanks(2,
                     [](Communicator& comm) -> Status {
                       const std::size_t bytes = std::size_t{1} << 50;
                       const auto buffer =
                           comm.Allocate(bytes, {.label = "gradients"});
                       const std::string text = Message(buffer.status());
                       if (KindOf(buffer.status()) != ErrorKind::kConfig ||
                           text.find("gradients") == std::string::npos ||
                           text.find(Cat(bytes)) == std::string::npos ||
                           text.find("available") == std::string::npos) {
                         return InternalError("got: ", text);
                       }
                       return comm.Barrier({});
                     }),
            OkStatus());
}

TEST_P(CommunicatorTest, ManyCollectivesInARow) {
  EXPECT_EQ(RunRanks(4,
                     [](Communicator& comm) -> Status {
                       for (int i = 0; i < 2000; ++i) {
                         std::int64_t x = comm.rank() * 10 + i;
                         GYRE_RETURN_IF_ERROR(comm.AllReduce(
                             &x, &x, 1, DType::kI64, ReduceOp::kSum, {}));
                         if (x != 60 + 4 * i)
                           return InternalError("round ", i, ": ", x);
                       }
                       return OkStatus();
                     }),
            OkStatus());
}

INSTANTIATE_TEST_SUITE_P(Backends,
                         CommunicatorTest,
                         testing::ValuesIn(kAllBackends),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace gyre::internal::inline tests

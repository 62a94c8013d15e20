// Two levels against one, for placements of all kinds. The conformance suite
// runs them as well (backends "hosts" and "scattered").

#include "gyre/collectives/two_level/two_level_reduce.h"

#include <gtest/gtest.h>

#include "gyre/collectives/local/local_transport.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/collectives/message/message_communicator.h"
#include "tests/support/reference.h"

namespace gyre::internal::inline tests {
namespace {

LocalOptions OnHostsTwoLevelReduce(std::vector<int> hosts,
                                   std::size_t stage_bytes) {
  LocalOptions options = {.deadline_s = 20, .messages = MessageOptions{}};
  options.messages->small_bytes = 256;
  options.messages->host_stage_bytes = stage_bytes;
  options.hosts = std::move(hosts);
  return options;
}

Status CheckBoth(Communicator& comm, DType dtype, std::size_t count) {
  const int size = comm.size();
  std::vector<Bytes> inputs;
  for (int r = 0; r < size; ++r) {
    inputs.push_back(MakeInput(dtype, r, count * size));
  }
  const Bytes want = ReferenceReduce(dtype, ReduceOp::kMean, inputs);
  Bytes data = inputs[comm.rank()];
  GYRE_RETURN_IF_ERROR(comm.AllReduce(
      data.data(), data.data(), count * size, dtype, ReduceOp::kMean, {}));
  GYRE_RETURN_IF_ERROR(SameBytes(data.data(), want, Cat("mean of ", dtype)));
  const std::size_t bytes = count * SizeOf(dtype);
  const Bytes mine(want.begin() + comm.rank() * bytes,
                   want.begin() + (comm.rank() + 1) * bytes);
  data = inputs[comm.rank()];
  GYRE_RETURN_IF_ERROR(comm.ReduceScatter(
      data.data(), data.data(), count, dtype, ReduceOp::kMean, {}));
  return SameBytes(data.data(), mine, Cat("part of the mean of ", dtype));
}

TEST(TwoLevelReduceTest, AnyPlacementGivesTheBitsOfTheTree) {
  const std::vector<std::vector<int>> placements = {
      {0, 0, 1, 1},
      {0, 1, 0, 1},
      {0, 0, 0, 1},
      {0, 0, 0, 1, 1, 1},
      {0, 1, 1, 2, 0, 2, 2},
      {5, 5, 5},
      {0, 0, 0, 0, 1, 1, 1, 1},
  };
  for (const std::vector<int>& hosts : placements) {
    const int ranks = static_cast<int>(hosts.size());
    for (const std::size_t stage : {1000u, 1u << 20}) {
      LocalWorld world(ranks, OnHostsTwoLevelReduce(hosts, stage));
      EXPECT_EQ(world.Run([](Communicator& comm) -> Status {
        for (const DType dtype :
             {DType::kF32, DType::kBF16, DType::kI32, DType::kU8}) {
          for (const std::size_t count : {65u, 1023u, 5001u}) {
            GYRE_RETURN_IF_ERROR(CheckBoth(comm, dtype, count));
          }
        }
        return OkStatus();
      }),
                OkStatus())
          << "hosts " << testing::PrintToString(hosts) << ", stage " << stage;
    }
  }
}

TEST(TwoLevelReduceTest, SubGroupsHaveLevelsOfTheirOwn) {
  LocalWorld world(6, OnHostsTwoLevelReduce({0, 0, 0, 1, 1, 1}, 4096));
  EXPECT_EQ(world.Run([](Communicator& comm) -> Status {
    const std::vector<int> a = {5, 0, 1};
    const std::vector<int> b = {2, 3, 4};
    const bool in_a = comm.rank() < 2 || comm.rank() == 5;
    GYRE_ASSIGN_OR_RETURN(const auto group, comm.Split(in_a ? a : b, {}));
    if (group->backend() != "two-level") return InternalError("one level");
    GYRE_RETURN_IF_ERROR(CheckBoth(*group, DType::kF32, 3000));
    return CheckBoth(comm, DType::kF32, 3000);
  }),
            OkStatus());
}

TEST(TwoLevelReduceTest, APlacementThatIsNotOneIsRefused) {
  const auto hub = std::make_shared<LocalHub>(2, WaitPolicy{});
  const auto transport = std::make_shared<LocalTransport>(hub, 0);
  const Status missing =
      MessageCommunicator::Join(transport, {}, {{0, 1, 1}, nullptr}).status();
  const Status ring =
      MessageCommunicator::Join(
          transport, {.algorithm = MessageAlgorithm::kRing}, {{0, 1}, nullptr})
          .status();
  for (const Status& status : {missing, ring}) {
    EXPECT_EQ(KindOf(status), ErrorKind::kConfig);
    EXPECT_NE(Message(status).find("two levels"), std::string::npos) << status;
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests

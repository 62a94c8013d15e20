#include "gyre/collectives/grpc/grpc_transport.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/support/grpc_world.h"
#include "tests/support/transport_checks.h"

namespace gyre::internal::inline tests {
namespace {

using SharedTransport = std::shared_ptr<Transport>;

TEST(GrpcTransport, DoesWhatTransportsMust) {
  for (const int ranks : {2, 3}) {
    EXPECT_EQ(GrpcWorld::Run(ranks,
                             [](const SharedTransport& transport) {
                               return CheckTransport(*transport, 7);
                             }),
              OkStatus());
    EXPECT_EQ(GrpcWorld::Run(ranks,
                             [](const SharedTransport& transport) {
                               return CheckEarlyMessages(*transport, 7);
                             }),
              OkStatus());
  }
}

TEST(GrpcTransport, AGroupsNumberMayBeUsedAgain) {
  EXPECT_EQ(
      GrpcWorld::Run(3,
                     [](const SharedTransport& transport) -> Status {
                       for (int i = 0; i < 10; ++i) {
                         GYRE_RETURN_IF_ERROR(CheckTransport(*transport, 7));
                       }
                       return OkStatus();
                     }),
      OkStatus());
}

TEST(GrpcTransport, SeveralThreadsDriveTheirChannels) {
  EXPECT_EQ(
      GrpcWorld::Run(2,
                     [](const SharedTransport& transport) {
                       std::vector<Status> results(4);
                       std::vector<std::thread> threads;
                       for (std::uint32_t t = 0; t < 4; ++t) {
                         threads.emplace_back([&, t] {
                           for (int i = 0; i < 5 && results[t].ok(); ++i) {
                             results[t] = CheckTransport(*transport, 10 * t);
                           }
                         });
                       }
                       for (std::thread& thread : threads) thread.join();
                       for (const Status& status : results) {
                         if (!status.ok()) return status;
                       }
                       return OkStatus();
                     }),
      OkStatus());
}

TEST(GrpcTransport, GroupsHoldThisRankOnce) {
  EXPECT_EQ(GrpcWorld::Run(
                2,
                [](const SharedTransport& transport) -> Status {
                  const std::vector<int> bad[] = {
                      {}, {1 - transport->rank()}, {0, 1, 2}, {0, 0, 1, 1}};
                  for (const auto& members : bad) {
                    if (transport->Open(1, members).ok()) {
                      return InternalError("it was opened");
                    }
                  }
                  return OkStatus();
                }),
            OkStatus());
}

}  // namespace
}  // namespace gyre::internal::inline tests

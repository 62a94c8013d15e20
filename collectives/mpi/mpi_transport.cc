#include "gyre/collectives/mpi/mpi_transport.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gyre/collectives/message/transport_registry.h"
#include "gyre/collectives/mpi/mpi_channel.h"
#include "gyre/collectives/mpi/mpi_engine.h"

namespace gyre::internal::inline collectives {
namespace {

class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(std::shared_ptr<MpiEngine> engine)
      : engine_(std::move(engine)) {}

  std::string_view backend() const override { return "mpi"; }
  int rank() const override { return engine_->rank(); }
  int size() const override { return engine_->size(); }

  StatusOr<std::unique_ptr<MessageChannel>> Open(
      std::uint32_t group, std::span<const int> members) override {
    const auto me = std::find(members.begin(), members.end(), rank());
    if (me == members.end()) {
      return InternalError("rank ", rank(), " is not in the group it opens");
    }
    return std::make_unique<MpiChannel>(
        engine_,
        group,
        std::vector<int>(members.begin(), members.end()),
        static_cast<int>(me - members.begin()));
  }

  void Abort(const Status& why) override { engine_->Abort(why); }
  void FailGroup(std::uint32_t group,
                 std::span<const int> members,
                 const GroupFailure& failure) override {
    engine_->FailGroup(group, members, failure);
  }
  void SetActivity(std::int64_t, std::string_view) override {}

 private:
  std::shared_ptr<MpiEngine> engine_;
};

}  // namespace

StatusOr<std::shared_ptr<Transport>> MakeMpiTransport(
    const WaitPolicy& policy) {
  GYRE_ASSIGN_OR_RETURN(std::shared_ptr<MpiEngine> engine,
                        MpiEngine::Start(policy));
  return std::make_shared<MpiTransport>(std::move(engine));
}

namespace {

const RegisterTransport kRegister(kMpiTransport, MakeMpiTransport);

}  // namespace
}  // namespace gyre::internal::inline collectives

// What a program that links gyre::mpi refers to (CMakeLists.txt), so that the
// registration above comes with it.
extern "C" void GyreMpiTransport() {}

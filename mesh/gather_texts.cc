#include "gyre/mesh/gather_texts.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace gyre::internal::inline mesh {

StatusOr<std::vector<std::string>> GatherTexts(const std::string& mine,
                                               Communicator& world,
                                               const char* label) {
  const CallSite site = {.label = label};
  const auto size = static_cast<std::int64_t>(mine.size());
  std::vector<std::int64_t> sizes(world.size());
  GYRE_RETURN_IF_ERROR(
      world.AllGather(&size, sizes.data(), 1, DType::kI64, site));
  const std::int64_t most = *std::max_element(sizes.begin(), sizes.end());
  std::vector<char> own(most, '\0');
  std::memcpy(own.data(), mine.data(), mine.size());
  std::vector<char> all(most * world.size());
  GYRE_RETURN_IF_ERROR(
      world.AllGather(own.data(), all.data(), most, DType::kU8, site));
  std::vector<std::string> texts;
  for (int r = 0; r < world.size(); ++r) {
    texts.emplace_back(all.data() + r * most, sizes[r]);
  }
  return texts;
}

}  // namespace gyre::internal::inline mesh

#include "gyre/collectives/split_plan.h"

#include <algorithm>
#include <string>

namespace gyre::internal::inline collectives {
namespace {

std::string Text(std::span<const int> ranks) {
  std::string text;
  for (const int r : ranks) text += Cat(text.empty() ? "" : ", ", r);
  return Cat("[", text, "]");
}

bool Contains(std::span<const int> list, int rank) {
  return std::find(list.begin(), list.end(), rank) != list.end();
}

Status CheckList(int caller, std::span<const int> list, int size) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] < 0 || list[i] >= size) {
      return ConfigError("split: rank ",
                         caller,
                         " asked for the group ",
                         Text(list),
                         ", but the ranks go from 0 to ",
                         size - 1);
    }
    if (Contains(list.first(i), list[i])) {
      return ConfigError("split: rank ",
                         caller,
                         " asked for the group ",
                         Text(list),
                         ", which has rank ",
                         list[i],
                         " twice");
    }
  }
  if (!list.empty() && !Contains(list, caller)) {
    return ConfigError("split: rank ",
                       caller,
                       " asked for the group ",
                       Text(list),
                       ", which it is not in; give the ranks of "
                       "its own group, or none");
  }
  return OkStatus();
}

}  // namespace

Status CheckSplit(std::span<const std::vector<int>> lists) {
  const int size = static_cast<int>(lists.size());
  for (int r = 0; r < size; ++r) {
    GYRE_RETURN_IF_ERROR(CheckList(r, lists[r], size));
  }
  for (int r = 0; r < size; ++r) {
    for (const int other : lists[r]) {
      if (lists[other] != lists[r]) {
        return MismatchError("split: rank ",
                             r,
                             " asked for the group ",
                             Text(lists[r]),
                             ", but rank ",
                             other,
                             " asked for ",
                             Text(lists[other]),
                             "; all ranks of a group give the same list");
      }
    }
  }
  return OkStatus();
}

}  // namespace gyre::internal::inline collectives

#include "gyre/train/step/desync.h"

#include <algorithm>
#include <utility>

#include "gyre/core/hash.h"

namespace gyre {

using namespace internal;

namespace {

// An event names so many tensors; what is worse than that is plain.
constexpr std::size_t kMostNamed = 64;

std::string Ranks(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    text += Cat(i == 0 ? "" : ", ", ranks[i]);
  }
  return text;
}

std::string Since(std::int64_t step) {
  if (step < 0) return "not compared before";
  return Cat("equal on all ranks before step ", step);
}

}  // namespace

Status RankChecks::Validate() const {
  if (every >= 0 && states_every >= 0) return OkStatus();
  return ConfigError("checks of the ranks every ",
                     std::min(every, states_every),
                     " steps: expected a number above 0, or 0 for none");
}

std::string Desync::Describe() const {
  const Difference& first = differences[0];
  std::string text =
      first.ranks.empty()
          ? Cat(first.name,
                " differs: ",
                first.holders == 2
                    ? "two ranks cannot tell which of them is wrong"
                    : "no majority tells which ranks are wrong")
          : Cat(first.name,
                " differs: ",
                Ranks(first.ranks),
                first.ranks.size() == 1 ? " stands" : " stand",
                " against the others");
  text += "; " + Since(first.equal_before);
  if (differences.size() > 1) {
    text += Cat("; so do ", differences.size() - 1, " more");
    for (std::size_t i = 1; i < std::min<std::size_t>(4, differences.size());
         ++i) {
      text += Cat(i == 1 ? ": " : ", ", differences[i].name);
    }
    if (differences.size() > 4) text += ", ...";
  }
  return text;
}

Json Desync::ToJson() const {
  Json names = Json::Array();
  Json list = Json::Array();
  std::vector<int> ranks;
  for (const Difference& d : differences) {
    ranks.insert(ranks.end(), d.ranks.begin(), d.ranks.end());
    if (list.elements().size() == kMostNamed) continue;
    Json hashes = Json::Array();
    for (const std::uint64_t hash : d.hashes) hashes.Append(HexHash(hash));
    names.Append(d.name);
    list.Append(Json::Object({{"tensor", d.name},
                              {"ranks", Json::ArrayOf(d.ranks)},
                              {"equal_before", d.equal_before},
                              {"hashes", std::move(hashes)}}));
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return Json::Object({{"tensors", std::move(names)},
                       {"ranks", Json::ArrayOf(ranks)},
                       {"differ", differences.size()},
                       {"differences", std::move(list)},
                       {"text", Describe()}});
}

}  // namespace gyre

#include "gyre/monitor/inspect/json_diff.h"

#include <algorithm>

#include "gyre/core/status.h"

namespace gyre::internal::inline monitor {
namespace {

void Diff(const std::string& path,
          const Json* a,
          const Json* b,
          std::vector<JsonDifference>& out) {
  if (a != nullptr && b != nullptr && *a == *b) return;
  const bool objects =
      a != nullptr && b != nullptr && a->is_object() && b->is_object();
  const bool arrays =
      a != nullptr && b != nullptr && a->is_array() && b->is_array();
  if (objects) {
    const std::string prefix = path.empty() ? path : Cat(path, ".");
    for (const auto& [key, value] : a->members()) {
      Diff(prefix + key, &value, b->Find(key), out);
    }
    for (const auto& [key, value] : b->members()) {
      if (a->Find(key) == nullptr) Diff(prefix + key, nullptr, &value, out);
    }
    return;
  }
  if (arrays) {
    const auto& x = a->elements();
    const auto& y = b->elements();
    for (std::size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
      Diff(Cat(path, "[", i, "]"),
           i < x.size() ? &x[i] : nullptr,
           i < y.size() ? &y[i] : nullptr,
           out);
    }
    return;
  }
  JsonDifference difference;
  difference.path = path;
  if (a != nullptr) difference.a = *a;
  if (b != nullptr) difference.b = *b;
  out.push_back(std::move(difference));
}

}  // namespace

std::vector<JsonDifference> DiffJson(const Json& a, const Json& b) {
  std::vector<JsonDifference> differences;
  Diff("", &a, &b, differences);
  return differences;
}

}  // namespace gyre::internal::inline monitor

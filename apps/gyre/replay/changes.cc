#include "apps/gyre/replay/changes.h"

#include <algorithm>

namespace gyre::internal::inline apps {
namespace {

void Add(std::vector<Change>& changes, Change change) {
  const bool known =
      std::any_of(changes.begin(), changes.end(), [&](const Change& c) {
        return c.name == change.name;
      });
  if (!known) changes.push_back(std::move(change));
}

Change With(const std::string& flag, const std::string& value) {
  return {Cat("--", flag, " ", value), Cat(flag, "=", value), 0, {}};
}

void AddAsked(const ReplayOptions& o, std::vector<Change>& changes) {
  if (!o.precision.empty()) Add(changes, With("precision", o.precision));
  if (!o.kernels.empty()) Add(changes, With("kernels", o.kernels));
  if (o.ranks == 1) Add(changes, {"--ranks 1", "", 1, {}});
  if (!o.jit.empty()) Add(changes, With("jit", o.jit));
  if (o.extra.empty()) return;
  Change change{"--", "", 0, o.extra};
  for (const std::string& argument : o.extra) {
    change.name += argument.empty() ? " \"\"" : " " + argument;
  }
  Add(changes, std::move(change));
}

void AddAll(const Evidence& evidence, std::vector<Change>& changes) {
  const Json& manifest = evidence.manifest;
  const std::string precision = manifest.GetString("precision").value_or("f32");
  const bool half = precision == "bf16" || precision == "f16";
  if (half) Add(changes, With("precision", "f32"));
  if (precision != "f64") Add(changes, With("precision", "f64"));
  if (manifest.GetString("kernels").value_or("fast") == "fast") {
    Add(changes, With("kernels", "reference"));
  }
  if (evidence.world > 1) Add(changes, {"--ranks 1", "", 1, {}});
  if (manifest.GetBool("jit").value_or(true)) Add(changes, With("jit", "off"));
}

}  // namespace

std::vector<Change> ChangesFor(const ReplayOptions& options,
                               const Evidence& evidence) {
  std::vector<Change> changes = {{"none", "", 0, {}}};
  if (options.plain) return changes;
  if (options.all || !options.asks_for_changes()) AddAll(evidence, changes);
  AddAsked(options, changes);
  return changes;
}

}  // namespace gyre::internal::inline apps

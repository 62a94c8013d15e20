#include "gyre/train/checkpoint/weights.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "gyre/core/io/safetensors.h"
#include "gyre/core/log.h"
#include "gyre/core/nearest_word.h"
#include "gyre/mesh/shared_outcome.h"
#include "gyre/train/checkpoint/weight_list.h"
#include "gyre/train/step/ema_parameters.h"
#include "gyre/train/step/train_state.h"
#include "gyre/train/step/whole_state.h"

namespace gyre {

using namespace internal;

namespace {

std::string Listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += Cat(i == 0 ? "" : ", ", names[i]);
  }
  if (names.size() > kMost) text += Cat(" and ", names.size() - kMost, " more");
  return text;
}

Status CheckNames(const WeightMap& map,
                  const std::vector<Weight>& weights,
                  const Safetensors& file) {
  std::vector<std::string> ours, theirs;
  for (const Weight& weight : weights) ours.push_back(weight.name);
  for (const auto& [name, tensor] : file.tensors) theirs.push_back(name);
  const auto check = [](const std::string& name,
                        const std::vector<std::string>& known,
                        const char* where) {
    if (std::count(known.begin(), known.end(), name) > 0) return OkStatus();
    const std::string near = NearestWord(name, known);
    return ConfigError("WeightMap::names: ",
                       where,
                       " has no \"",
                       name,
                       "\"",
                       near.empty() ? "" : "; did you mean \"" + near + "\"?");
  };
  for (const auto& [our, their] : map.names) {
    GYRE_RETURN_IF_ERROR(check(our, ours, "the model"));
    GYRE_RETURN_IF_ERROR(check(their, theirs, "the file"));
  }
  return OkStatus();
}

std::string NameInFile(const WeightMap& map, const std::string& name) {
  const auto named = map.names.find(name);
  return named == map.names.end() ? name : named->second;
}

// Values of this rank, by weight; and what became of the names.
struct Loaded {
  std::vector<float> all;  // as StateArrays::all()
  WeightReport report;
};

StatusOr<Loaded> ReadOwn(const std::string& path,
                         const TrainStep& step,
                         const WeightMap& map) {
  GYRE_ASSIGN_OR_RETURN(const Safetensors file, ReadSafetensors(path));
  const std::vector<Weight> weights = WeightsOf(step);
  GYRE_RETURN_IF_ERROR(CheckNames(map, weights, file));
  const std::span<const float> now = step.state().front().all();
  Loaded loaded{{now.begin(), now.end()}, {}};
  std::set<std::string> used;
  for (const Weight& weight : weights) {
    const std::string name = NameInFile(map, weight.name);
    const auto found = file.tensors.find(name);
    if (found == file.tensors.end()) {
      loaded.report.left.push_back(weight.name);
      continue;
    }
    const bool turn = map.transposed && map.transposed(weight.name);
    GYRE_ASSIGN_OR_RETURN(const Tensor whole,
                          Fit(weight, name, found->second, turn));
    TakeOwn(step.mesh(),
            weight.part,
            whole,
            std::span(loaded.all).subspan(weight.offset, weight.size));
    loaded.report.loaded.push_back(weight.name);
    used.insert(name);
  }
  for (const auto& [name, tensor] : file.tensors) {
    if (used.count(name) == 0) loaded.report.unused.push_back(name);
  }
  if (loaded.report.loaded.empty()) {
    return ConfigError(path,
                       ": no tensor of it has a name of the model's. It has ",
                       Listed(loaded.report.unused),
                       "; the model has ",
                       Listed(loaded.report.left),
                       ": say in WeightMap::names which belongs to which");
  }
  return loaded;
}

}  // namespace

std::string WeightReport::Describe() const {
  return Cat(loaded.size(),
             " of ",
             loaded.size() + left.size(),
             " tensors loaded",
             left.empty() ? "" : "; left as they were: " + Listed(left),
             unused.empty() ? "" : "; not used of the file: " + Listed(unused));
}

StatusOr<WeightReport> LoadWeights(const std::string& path,
                                   TrainStep& step,
                                   const WeightMap& map) {
  StatusOr<Loaded> loaded = ReadOwn(path, step, map);
  GYRE_RETURN_IF_ERROR(
      OutcomeOfAll(loaded.status(), step.mesh().world(), "weights read"));
  GYRE_RETURN_IF_ERROR(PutInPlace(step, loaded->all));
  if (step.mesh().rank() == 0) LogInfo(path, ": ", loaded->report.Describe());
  return std::move(loaded->report);
}

Status SaveWeights(const std::string& path,
                   TrainStep& step,
                   const SaveWeightsOptions& options) {
  const std::span<const float> now = step.state().front().all();
  std::vector<float> all(now.begin(), now.end());
  if (options.use_ema) {
    GYRE_ASSIGN_OR_RETURN(const std::vector<float> mean,
                          MeanParameters(step.state()));
    std::copy(mean.begin(), mean.end(), all.begin());
  }
  Safetensors file;
  for (const Weight& weight : WeightsOf(step)) {
    GYRE_ASSIGN_OR_RETURN(
        Tensor whole,
        GatherWhole(step.mesh(),
                    weight.part,
                    std::span(all).subspan(weight.offset, weight.size)));
    const bool turn = options.map.transposed && whole.shape().rank() == 2 &&
                      options.map.transposed(weight.name);
    if (turn) whole = Transposed(whole);
    file.tensors[NameInFile(options.map, weight.name)] = std::move(whole);
  }
  return DoneByRankZero([&] { return WriteSafetensors(path, file); },
                        step.mesh().world(),
                        "weights written");
}

Status SetParameter(TrainStep& step,
                    std::string_view name,
                    const Tensor& value) {
  const auto set = [&]() -> StatusOr<std::vector<float>> {
    const std::span<const float> now = step.state().front().all();
    std::vector<float> all(now.begin(), now.end());
    std::vector<std::string> names;
    for (const Weight& weight : WeightsOf(step)) {
      names.push_back(weight.name);
      if (weight.name != name) continue;
      if (value.dtype() != DType::kF32 || value.shape() != weight.part.whole) {
        return ConfigError("parameter \"",
                           name,
                           "\" is f32 ",
                           weight.part.whole,
                           ", got ",
                           value.dtype(),
                           " ",
                           value.shape());
      }
      TakeOwn(step.mesh(),
              weight.part,
              value,
              std::span(all).subspan(weight.offset, weight.size));
      return all;
    }
    return ConfigError(
        "the model has no parameter \"", name, "\"; it has ", Listed(names));
  };
  const StatusOr<std::vector<float>> all = set();
  GYRE_RETURN_IF_ERROR(
      OutcomeOfAll(all.status(), step.mesh().world(), "parameter set"));
  return PutInPlace(step, *all);
}

}  // namespace gyre

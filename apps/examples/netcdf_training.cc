// Forecasts one channel of CF files, as a configuration names them, with a loss
// of its own: netcdf_training [CONFIG]. docs/data.md has the configuration.

#include <gyre/files.h>
#include <gyre/gyre.h>

#include <cstdio>

using namespace gyre;

// Large errors count less than with their square; missing cells not at all.
Var SmoothLoss(Var pred, const BatchVars& batch) {
  return masked_mean(pointwise(LogCosh{}, pred, batch["next"]), batch["valid"]);
}

// Pairs of a field and the next, normalised; 0 where missing.
struct Pairs {
  GriddedData data;
  ChannelStatistics statistics;

  std::map<std::string, Tensor> operator()(
      std::span<const std::int64_t> ids) const {
    const Shape& shape = data.values.shape();  // (time, channel, lat, lon)
    const std::int64_t cells = shape[2] * shape[3];
    Tensor now = Tensor::Zeros({std::ssize(ids), cells});
    Tensor next = now.Clone(), valid = now.Clone();
    for (std::size_t k = 0; k < ids.size() * cells; ++k) {
      const auto i = (ids[k / cells] * shape[1]) * cells + k % cells;
      const auto j = i + shape[1] * cells;
      const auto value = [&](std::int64_t at) {
        return (data.values.data<float>()[at] - statistics.mean) /
               statistics.std;
      };
      const auto mask = data.mask.data<std::uint8_t>();
      if (mask[i] == 1) now.data<float>()[k] = value(i);
      if (mask[j] == 1) next.data<float>()[k] = value(j);
      valid.data<float>()[k] = mask[i] * mask[j];
    }
    return {{"now", now}, {"next", next}, {"valid", valid}};
  }
};

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "data.toml";
  return RunMain([&](World& world) -> Status {
    GYRE_ASSIGN_OR_RETURN(const DatasetConfig config, ReadDatasetConfig(path));
    GYRE_ASSIGN_OR_RETURN(const GriddedData data, LoadDataset(config));
    std::vector<std::string> lines = data.notes;
    GYRE_ASSIGN_OR_RETURN(
        const auto statistics,
        ComputeChannelStatistics(
            data.values, data.mask, data.channels, data.train, &lines));
    for (const std::string& line : lines) {
      if (world.rank() == 0) std::fprintf(stderr, "%s\n", line.c_str());
    }
    const std::int64_t cells = data.values.shape()[2] * data.values.shape()[3];
    return Train(
        world,
        {.data = FunctionDataset({.samples = data.train.size() - 1, .batch = 4},
                                 Pairs{data, statistics[0]}),
         .model =
             [cells](Params& p, const BatchVars& b) {
               return b["now"] + Mlp{{32, cells}}(p, b["now"]);
             },
         .loss = SmoothLoss,
         .optimizer =
             optim::Chain(optim::Guard{.max_norm = 1}, optim::Adam(1e-3)),
         .run = {.directory = "runs/netcdf_training", .steps = 50}});
  });
}

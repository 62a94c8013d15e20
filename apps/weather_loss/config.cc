#include "apps/weather_loss/config.h"

#include "gyre/core/finite.h"

namespace gyre::weather {

using namespace internal;

namespace {

Status AtLeast(const char* flag, std::int64_t value, std::int64_t least) {
  if (value >= least) return OkStatus();
  return ConfigError("--", flag, " must be ", least, " or more, got ", value);
}

Status NotNegative(const char* flag, double value) {
  if (IsFinite(value) && value >= 0) return OkStatus();
  return ConfigError("--", flag, " must be 0 or more, got ", value);
}

}  // namespace

Flags MakeFlags(Config& c) {
  Flags flags("weather_loss",
              "Trains a small weather model on the storm of January 1996 "
              "with a custom loss that is now and then NaN, and prints its "
              "skill.\n"
              "Run it alone, or on four processes: "
              "gyre launch -n 4 -- weather_loss");
  flags.Add("data",
            &c.data,
            "folder with {P,T,U,V,U500,V500}storm.cdf, a configuration "
            "(docs/data.md) whose name ends in .toml, \"synthetic\", or "
            "\"synthetic:N\" for N six-hourly steps; "
            "default: those of Debian's libncarg-data");
  flags.Add("out", &c.out, "run directory");
  flags.Add("forecasts",
            &c.forecasts,
            "CF NetCDF file for the forecasts of the test days");
  flags.AddChoice(
      "loss", &c.loss, {"storm", "storm_softplus", "mse"}, "the loss");
  flags.Add("lambda", &c.lambda, "weight of the storm term");
  flags.Add("steps", &c.steps, "training steps");
  flags.Add("batch", &c.batch, "samples a step, over all ranks");
  flags.Add("lr", &c.lr, "peak learning rate of Adam");
  flags.Add(
      "warmup", &c.warmup, "steps until the peak; fewer if the run is shorter");
  flags.Add("clip", &c.clip, "limit of the gradient's norm; 0: none");
  flags.Add("hidden", &c.hidden, "channels of a hidden layer");
  flags.Add("depth", &c.depth, "hidden layers");
  flags.Add("kernel", &c.kernel, "width of the convolutions, odd");
  flags.Add("seed", &c.seed, "of the parameters and the order of samples");
  flags.AddChoice("guard",
                  &c.guard,
                  {"skip", "zero", "drop_rank", "halt", "observe"},
                  "what happens to a step with a bad number");
  flags.Add("max-skips", &c.max_skips, "bad steps in a row that are tolerated");
  flags.Add("inject",
            &c.inject,
            "a fault on purpose, such as nan_grad@rank=2,step=50");
  flags.Add("resume", &c.resume, "checkpoint or run directory to go on from");
  flags.Add("checkpoint-every",
            &c.checkpoint_every,
            "steps between checkpoints; 0: at the end alone");
  flags.Add("keep-checkpoints",
            &c.keep_checkpoints,
            "the newest so many are kept, and the last good one; 0: all");
  flags.Add("check-states-every",
            &c.check_states_every,
            "steps between comparisons of the ranks' optimizer states; "
            "parameters are compared in every step; 0: never");
  flags.AddChoice("precision",
                  &c.precision,
                  {"f32", "bf16", "f16", "f64"},
                  "what the layers compute in");
  flags.Add("micro-batches",
            &c.micro_batches,
            "parts that a rank's batch is cut into");
  flags.Add("spike",
            &c.spike,
            "skip steps whose norm is so many deviations above the median; "
            "0: none");
  flags.Add("telemetry-every",
            &c.telemetry_every,
            "steps between records of norms by layer and more; 0: none, -1: "
            "20, or more where that takes 2% of the time");
  flags.Add("watch-activations",
            &c.watch_activations,
            "record the sizes of the layers' activations, too");
  flags.Add("json", &c.json, "print the summary as JSON");
  flags.Add("explain", &c.explain, "print the compiled plan before training");
  return flags;
}

Status CheckConfig(Config& c) {
  GYRE_RETURN_IF_ERROR(AtLeast("steps", c.steps, 1));
  GYRE_RETURN_IF_ERROR(AtLeast("batch", c.batch, 1));
  GYRE_RETURN_IF_ERROR(AtLeast("hidden", c.hidden, 1));
  GYRE_RETURN_IF_ERROR(AtLeast("depth", c.depth, 1));
  GYRE_RETURN_IF_ERROR(AtLeast("warmup", c.warmup, 0));
  GYRE_RETURN_IF_ERROR(AtLeast("max-skips", c.max_skips, 0));
  GYRE_RETURN_IF_ERROR(AtLeast("checkpoint-every", c.checkpoint_every, 0));
  GYRE_RETURN_IF_ERROR(AtLeast("telemetry-every", c.telemetry_every, -1));
  GYRE_RETURN_IF_ERROR(AtLeast("keep-checkpoints", c.keep_checkpoints, 0));
  GYRE_RETURN_IF_ERROR(AtLeast("check-states-every", c.check_states_every, 0));
  GYRE_RETURN_IF_ERROR(NotNegative("lambda", c.lambda));
  GYRE_RETURN_IF_ERROR(NotNegative("lr", c.lr));
  GYRE_RETURN_IF_ERROR(NotNegative("clip", c.clip));
  if (c.kernel < 1 || c.kernel % 2 == 0) {
    return ConfigError("--kernel must be odd, got ", c.kernel);
  }
  GYRE_RETURN_IF_ERROR(AtLeast("micro-batches", c.micro_batches, 1));
  GYRE_RETURN_IF_ERROR(NotNegative("spike", c.spike));
  if (c.precision == "bf16") c.compute = DType::kBF16;
  if (c.precision == "f16") c.compute = DType::kF16;
  if (c.precision == "f64") c.compute = DType::kF64;
  GYRE_ASSIGN_OR_RETURN(c.policy, optim::ParsePolicy(c.guard));
  return OkStatus();
}

}  // namespace gyre::weather

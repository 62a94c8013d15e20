// The names that examples in comments use without saying where they come from.

#ifndef GYRE_TESTS_LINT_EXAMPLE_CONTEXT_H_
#define GYRE_TESTS_LINT_EXAMPLE_CONTEXT_H_

#include <gtest/gtest.h>
#include <gyre/arrays.h>
#include <gyre/files.h>
#include <gyre/gyre.h>

#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

using namespace gyre;

// Values of a trace.
extern Var a, b, x, h, w, q, k, v, g, y, pred, target, mask, logits, labels;
extern Var scores, field, wind, nodes, senders, messages, receivers, error;
extern Var is_sea, shard, partial, total, layer_mass, ensemble, batch_mean;
extern std::int64_t n, flags, steps;
extern std::string loss_name;
extern std::vector<Tensor> inputs;
extern std::vector<Var> weights, direction;
extern Params params;
extern BatchVars batch;

// A world, and what is made in it.
extern World& world;
extern Communicator& comm;
extern Mesh mesh;
extern TrainStep* step;
extern TrainSpec spec;
extern BatchSource& source;
extern RunDirectory run;
extern Sampler sampler;
extern SampleBatch samples;
extern int rank, argc;
extern std::size_t i;
extern const char** argv;
extern float *grad, *g0, *g1;
extern std::size_t n0, n1;
extern std::string out, resume;
extern Json run_json;

// Functions of the user's.
Var mlp(Var x);
Var Loss(std::span<const Var> w, const BatchVars& batch);
Var LogLoss(Var pred, const BatchVars& batch);
Var SmallModel(Params& params, const BatchVars& batch);
Var model(Params& params, Var x);
double Bias(const Tensor& pred, const SampleBatch& batch);
StatusOr<Tensor> ReadGrid(const std::string& path);
Status Validate(const Tensor& grid);
std::map<std::string, Tensor> Points(std::span<const std::int64_t> ids);

#endif  // GYRE_TESTS_LINT_EXAMPLE_CONTEXT_H_

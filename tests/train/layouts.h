// Programs that name the mesh axes "data", "model" and "space", for tests that
// train them on meshes of any shape and expect the same training.

#ifndef GYRE_TESTS_TRAIN_LAYOUTS_H_
#define GYRE_TESTS_TRAIN_LAYOUTS_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gyre/mesh/mesh.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline tests {

struct MeshShape {
  int data = 1;
  int model = 1;
  int space = 1;

  int ranks() const { return data * model * space; }
  std::string ToString() const;
};

// Twelve meshes of 2 to 8 ranks.
const std::vector<MeshShape>& AllShapes();

struct LayoutOptions {
  bool shard_states = false;
  double max_norm = 1;
  std::optional<std::size_t> bucket_bytes = {};
  std::string inject = {};
  std::optional<optim::AnyOptimizer> optimizer = {};  // else Adam, clipped
  std::vector<std::string> batch_axes = {};           // else the program's
};

// One program: what it trains and how a batch is cut.
struct Program {
  std::string name;
  std::vector<std::string> batch_axes;
  // This rank's part of the step's batch.
  SampleBatch (*load)(const Mesh& mesh, std::int64_t step);
  ModelFunction model;
  LossFunction loss;
};

// A perceptron whose mask leaves most ranks nothing; one cut over "model"; a
// transformer block cut over "model", its sequence too; a convolution in
// strips of latitude, padded where they do not divide; weights that are
// gathered where they are used; an ensemble.
std::vector<Program> AllPrograms();

StatusOr<std::unique_ptr<TrainStep>> MakeLayoutStep(
    Communicator& comm,
    const MeshShape& layout,
    const Program& program,
    const LayoutOptions& options = {});

// What a training of some steps left.
struct Training {
  std::vector<double> losses;
  std::vector<double> norms;
  std::map<std::string, Tensor> gradient;  // of the first step, whole tensors
  std::map<std::string, Tensor> params;    // at the end, whole tensors
  std::uint64_t hash = 0;                  // of these and their padding
};

// On ranks that are threads. Checks that all ranks see the same.
Training TrainLayout(const MeshShape& layout,
                     const Program& program,
                     int steps,
                     const LayoutOptions& options = {});
// On this rank of a world that exists.
StatusOr<Training> TrainOn(Communicator& comm,
                           const MeshShape& layout,
                           const Program& program,
                           int steps,
                           const LayoutOptions& options = {});

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_TRAIN_LAYOUTS_H_

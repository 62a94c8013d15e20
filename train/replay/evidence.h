// A step that was kept, on disk: all that it needs to be run again.
//
//   evidence/step-00000412/
//     state-00000.safetensors    the state before it, as in a checkpoint
//     batch-00003.safetensors    rank 3's batch: batch/00003/NAME
//     manifest.json              a checkpoint's, and what EvidenceParts says
//
// The manifest is written last, and every tensor's hash stands in it: evidence
// is read to the bit or refused.

#ifndef GYRE_TRAIN_REPLAY_EVIDENCE_H_
#define GYRE_TRAIN_REPLAY_EVIDENCE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/program.h"
#include "gyre/core/status.h"
#include "gyre/mesh/run_context.h"
#include "gyre/train/data/batch.h"

namespace gyre::internal::inline train {

// How the program was started that made the step.
struct EvidenceStart {
  ProgramStart start;
  ProgramIdentity identity;
  // Variables that change the numbers.
  std::vector<std::pair<std::string, std::string>> environment;
};
// Of this process, in the run of that context.
StatusOr<EvidenceStart> ReadEvidenceStart(const RunContext& context);
Json ToJson(const EvidenceStart& start);

struct Evidence {
  std::string folder = {};
  Json manifest = {};
  std::int64_t step = 0;
  int world = 1;
  EvidenceStart start = {};
  Json result = {};  // train/replay/step_result.h
};

// Errors, of kind checkpoint: no evidence there, a manifest that lacks
// something.
StatusOr<Evidence> ReadEvidence(const std::string& folder);

// Writes a rank's batch. Gives {"rank", "file", "sample_ids",
// "sample_names", "hashes": {...}} for the manifest.
StatusOr<Json> WriteBatch(const std::string& folder,
                          std::int64_t step,
                          int rank,
                          const SampleBatch& batch,
                          const BatchSource& source);

// The batch that `rank` of `ranks` had; of one rank in place of several, the
// batches of all of them along the first axis, each once where ranks share
// one. Errors: a damaged file, another number of ranks, batches that cannot
// be joined.
StatusOr<SampleBatch> ReadBatch(const Evidence& evidence, int rank, int ranks);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_REPLAY_EVIDENCE_H_

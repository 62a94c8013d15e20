// Loads the next batches in a thread of its own while a step runs.
//
//   FunctionSource source(sampler, Points);
//   PrefetchSource ahead(source, {.batches = 2});   // give `ahead` to the loop
//
// Batches are those of the source, step by step, and so are the bits of a run.
// It holds `batches` of them at most, and the one that the loop has. When the
// loop asks for another step than the next (a rewind, a replay), what was
// loaded is thrown away. An error or an exception of the source comes out of
// Load for its step, not before.
//
// WARNING 1: the source's Load runs in another thread than its other
// functions, one call at a time. A source whose SampleIds or SampleName reads
// what Load changes needs a lock.
// WARNING 2: batches beyond the last step of a run may be asked for.

#ifndef GYRE_TRAIN_DATA_PREFETCH_H_
#define GYRE_TRAIN_DATA_PREFETCH_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/train/data/batch.h"

namespace gyre {

struct PrefetchOptions {
  int batches = 2;  // held at most; 1 or more
};

class PrefetchSource final : public BatchSource {
 public:
  // `source` must outlive it.
  explicit PrefetchSource(BatchSource& source,
                          const PrefetchOptions& options = {});
  PrefetchSource(const PrefetchSource&) = delete;
  PrefetchSource& operator=(const PrefetchSource&) = delete;
  ~PrefetchSource() override;  // waits for a Load that is under way

  StatusOr<SampleBatch> Load(std::int64_t step) override;

  std::vector<std::int64_t> SampleIds(std::int64_t step,
                                      int rank) const override {
    return source_.SampleIds(step, rank);
  }
  std::optional<std::int64_t> FirstReplaced(std::int64_t from,
                                            std::int64_t until) const override {
    return source_.FirstReplaced(from, until);
  }
  std::string SampleName(std::int64_t id) const override {
    return source_.SampleName(id);
  }
  std::string ElementName(std::int64_t sample,
                          std::string_view tensor,
                          const Shape& shape,
                          std::int64_t element) const override {
    return source_.ElementName(sample, tensor, shape, element);
  }
  std::vector<GroupLoss> GroupLosses(const SampleBatch& batch,
                                     const Tensor& prediction) const override {
    return source_.GroupLosses(batch, prediction);
  }

 private:
  class Ahead;  // the thread and what it has loaded

  BatchSource& source_;
  std::unique_ptr<Ahead> ahead_;
};

}  // namespace gyre

#endif  // GYRE_TRAIN_DATA_PREFETCH_H_

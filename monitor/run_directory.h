// The folder that holds all that a run leaves, and the names in it.
//
//   GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
//                         RunDirectory::Create("runs/storm", rank));
//   GYRE_RETURN_IF_ERROR(run.WriteRunJson(run_json));     // rank 0
//
//   run.json  metrics.jsonl  events.jsonl  summary.json
//   ranks/00003.jsonl   flight/00003.jsonl   tensorboard/
//   evidence/step-00000412/cause.json
//   checkpoints/step-00000100/   and the links latest, last-good, first-bad
//
// Every rank calls Create; it does no harm twice. Steps have eight digits, so
// that the order of the names is the order of the steps.

#ifndef GYRE_MONITOR_RUN_DIRECTORY_H_
#define GYRE_MONITOR_RUN_DIRECTORY_H_

#include <cstdint>
#include <string>
#include <utility>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"

namespace gyre {

class RunDirectory {
 public:
  // Makes the folders and proves that a file can be written. A config error
  // names the path and says what is wrong with it.
  static StatusOr<RunDirectory> Create(const std::string& path, int rank = 0);

  // Renames a run that is at `path` to path.1 (or .2, ...), so that a new one
  // does not mix its records with it. One rank does this, before Create.
  static Status SetAside(const std::string& path);

  // A run that is there: a config error if it has no run.json.
  static StatusOr<RunDirectory> Open(const std::string& path);

  const std::string& path() const { return path_; }
  std::string run_json() const { return path_ + "/run.json"; }
  std::string metrics() const { return path_ + "/metrics.jsonl"; }
  std::string events() const { return path_ + "/events.jsonl"; }
  std::string summary() const { return path_ + "/summary.json"; }
  std::string checkpoints() const { return path_ + "/checkpoints"; }
  std::string checkpoint(std::int64_t step) const;
  std::string rank_log(int rank) const;
  std::string flight_log(int rank) const;

  // What is kept of a step, "RUN/evidence/step-00000412".
  std::string evidence(std::int64_t step) const;
  // "evidence/step-00000412/cause.json", in the run.
  static std::string CauseName(std::int64_t step);

  // Members that run.json shall have whatever the program writes into it, and
  // those that it has where the program does not write them.
  void AlwaysRecord(Json members) { always_ = std::move(members); }
  void RecordByDefault(Json members) { defaults_ = std::move(members); }
  Status WriteRunJson(const Json& json) const;
  // What made the step bad (train/records/cause_record.h).
  Status WriteCause(std::int64_t step, const Json& json) const;
  Status WriteSummary(const Json& json) const;
  // Puts members into summary.json, beside those that RunTraining
  // (train/run/loop.h) has written; gives the whole. Rank 0 does this.
  StatusOr<Json> AddToSummary(const Json& members) const;
  // What summary.json says; an empty object where there is none.
  StatusOr<Json> ReadSummary() const;
  // A run that goes on has none yet.
  Status RemoveSummary() const;

 private:
  explicit RunDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
  Json always_ = Json::Object();
  Json defaults_ = Json::Object();
};

// "step-00000412"
std::string StepName(std::int64_t step);

}  // namespace gyre

#endif  // GYRE_MONITOR_RUN_DIRECTORY_H_

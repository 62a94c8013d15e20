// A run directory as a run leaves it, for tests: two ranks, a skipped step, a
// fault in it, a rank that is late.

#ifndef GYRE_TESTS_MONITOR_RECORDS_EXAMPLE_RUN_H_
#define GYRE_TESTS_MONITOR_RECORDS_EXAMPLE_RUN_H_

#include <string>

#include "gyre/core/check.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {

class ExampleRun {
 public:
  static constexpr int kSteps = 300;
  static constexpr int kSkipped = 150;

  ExampleRun() {
    Write("run.json", R"({"program": "weather_loss", "world": 2,
        "mesh": "data=2", "unguarded": false, "future": {"key": 1}})");
    const Json skip = Json::Object(
        {{"time", "2026-11-29T23:03:30.937Z"},
         {"step", kSkipped},
         {"rank", 0},
         {"kind", "skip"},
         {"ranks", Json::Array({1})},
         {"tensors", Json::Array({"head.w", "<b>"})},
         {"samples", Json::Array({17})},
         {"sample_names", Json::Array({"t=017 (1996-01-09T06Z)"})}});
    Write("events.jsonl", skip.Dump() + "\n");
    std::string metrics;
    std::string ranks[2];
    for (int i = 0; i < kSteps; ++i) {
      metrics += Metrics(i).Dump() + "\n";
      for (int r = 0; r < 2; ++r) ranks[r] += Rank(i, r).Dump() + "\n";
    }
    Write("metrics.jsonl", metrics);
    Write("ranks/00000.jsonl", ranks[0]);
    Write("ranks/00001.jsonl", ranks[1]);
    Write("summary.json", R"({"params_finite": true, "hashes_equal": true,
        "skill": {"p": 0.25, "t": -0.5, "u": null},
        "skill_vs_mean": {"p": 0.8, "t": 0.7, "u": 0.6},
        "storm": {"bias_hpa": -1.5}})");
  }

  const std::string& path() const { return dir_.path(); }

  void Write(const std::string& name, const std::string& text) {
    const std::string file = dir_ / name;
    const Status folder =
        CreateDirectories(file.substr(0, file.find_last_of('/')));
    GYRE_CHECK(folder.ok() && WriteFileAtomically(file, text).ok(), file);
  }

  static Json Metrics(int i) {
    const bool skipped = i == kSkipped;
    Json json = Json::Object();
    json.Set("step", i)
        .Set("loss", skipped ? Json("NaN") : Json(1 + 0.001 * (i * 37 % 11)))
        .Set("grad_norm", 0.5 + 0.01 * (i * 53 % 13))
        .Set("lr", 1e-3)
        .Set("applied", !skipped)
        .Set("skipped", i >= kSkipped ? 1 : 0)
        .Set("bad_count", skipped ? 4 : 0)
        .Set("step_ms", 2.0)
        .Set("wait_ms", 0.5)
        .Set("storm_term", 0.1)
        .Set("layers",
             Json::Object({{"grad_norm",
                            Json::Object({{"head.w", 0.1}, {"<b>", 0.2}})}}));
    return json;
  }

  // Rank 1 is late in every third step: there it does not wait, and rank 0
  // waits for it.
  static Json Rank(int i, int rank) {
    const bool late = i % 3 == 0;
    return Json::Object({{"step", i},
                         {"local_norm", 0.5 + 0.1 * rank},
                         {"bad_elements", i == kSkipped && rank == 1 ? 4 : 0},
                         {"step_ms", late ? 4.0 : 2.0},
                         {"wait_ms", late && rank == 0 ? 2.5 : 0.5}});
  }

 private:
  TempDir dir_;
};

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_MONITOR_RECORDS_EXAMPLE_RUN_H_

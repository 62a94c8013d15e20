// Command-line flags, declared where their targets are.
//
//   Flags flags("weather_loss", "Train a small weather model.");
//   flags.Add("steps", &steps, "number of training steps");
//   flags.AddChoice("loss", &loss_name, {"storm", "mse"}, "the loss");
//   GYRE_ASSIGN_OR_RETURN(const ParseResult result, flags.Parse(argc, argv));
//   if (result == ParseResult::kHelpShown) return OkStatus();
//
// A flag is written --steps 7 or --steps=7, a bool as --json or --json=false.
// "n,ranks" declares -n and --ranks; "n" alone declares -n. The value that a
// target holds when it is added is its default, and --help shows it. A flag
// given twice takes its last value.
//
// Errors are config errors and name the flag, what it expects and what came;
// an unknown flag brings the nearest known one.
//
// WARNING 1: the targets must outlive Parse. After an error, some may be set.
// WARNING 2: cxxopts, which splits the command line, throws; nothing leaves
// this file's .cc.

#ifndef GYRE_CORE_FLAGS_H_
#define GYRE_CORE_FLAGS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"

namespace gyre {

enum class ParseResult { kRun, kHelpShown };

class Flags {
 public:
  using Target =
      std::variant<bool*, int*, std::int64_t*, float*, double*, std::string*>;

  Flags(std::string program, std::string description)
      : program_(std::move(program)), description_(std::move(description)) {}

  void Add(std::string names, Target target, std::string help);

  // A text that must be one of `choices`.
  void AddChoice(std::string names,
                 std::string* target,
                 std::vector<std::string> choices,
                 std::string help);

  // Takes the arguments that are no flags, and all that follow "--" as they
  // are. Without it any such argument is an error.
  void AllowPositional(std::string name,
                       std::vector<std::string>* target,
                       std::string help);

  // argv[0] is skipped. For --help, prints Help() on standard output.
  StatusOr<ParseResult> Parse(int argc, const char* const* argv) const;

  std::string Help() const;

  // {"steps": 1500, ...}: the targets as they are now, for run.json.
  Json ToJson() const;

 private:
  struct Flag {
    std::string names;  // as cxxopts takes them: "n,ranks"
    std::string name;   // the long one, or the only one
    Target target;
    std::string help;
    std::string default_text;
    std::vector<std::string> choices;
  };

  Status SetFlag(const Flag& flag, const std::string& text) const;
  Status UnknownFlag(std::string_view argument) const;
  Status TakePositional(const std::vector<std::string>& unmatched,
                        std::vector<std::string> verbatim) const;

  std::string program_;
  std::string description_;
  std::vector<Flag> flags_;
  std::string positional_name_;
  std::string positional_help_;
  std::vector<std::string>* positional_ = nullptr;
};

}  // namespace gyre

#endif  // GYRE_CORE_FLAGS_H_

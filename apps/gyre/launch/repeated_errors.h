// One error that many ranks report is printed once.
//
//   RepeatedErrors errors;
//   errors.IsRepeat({0}, "error: rank 0: rank 2 is lost");   // false
//   errors.IsRepeat({1}, "error: rank 1: rank 2 is lost");   // true
//   errors.Summary();   // {"rank 1 gave the same error as rank 0: rank 2 ..."}

#ifndef GYRE_APPS_GYRE_LAUNCH_REPEATED_ERRORS_H_
#define GYRE_APPS_GYRE_LAUNCH_REPEATED_ERRORS_H_

#include <string>
#include <string_view>
#include <vector>

#include "apps/gyre/launch/rank_span.h"

namespace gyre::internal::inline apps {

class RepeatedErrors {
 public:
  // Whether `line`, of the process of `ranks`, is an error of one of them that
  // another rank gave before.
  bool IsRepeat(const RankSpan& ranks, std::string_view line);

  // A line for each error that was repeated; forgets them.
  std::vector<std::string> Summary();

 private:
  struct Error {
    std::string text;
    int first;                // the rank that gave it first
    std::vector<int> others;  // in the order in which they came
  };
  std::vector<Error> errors_;
};

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_REPEATED_ERRORS_H_

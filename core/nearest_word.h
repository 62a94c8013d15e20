// What someone meant who wrote a name with a slip.
//
//   NearestWord("lamda", {"lambda", "steps"}) == "lambda"

#ifndef GYRE_CORE_NEAREST_WORD_H_
#define GYRE_CORE_NEAREST_WORD_H_

#include <string>
#include <string_view>
#include <vector>

namespace gyre::internal::inline core {

// The candidate with the fewest edits (insert, delete, change, swap of
// neighbours) from `word`; empty when none is near enough to be a slip.
std::string NearestWord(std::string_view word,
                        const std::vector<std::string>& candidates);

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_NEAREST_WORD_H_

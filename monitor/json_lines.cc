#include "gyre/monitor/json_lines.h"

#include <string_view>

#include "gyre/core/io/file.h"

namespace gyre::internal::inline monitor {

StatusOr<std::vector<Json>> ReadJsonLines(const std::string& path) {
  GYRE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  std::vector<Json> values;
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos;
       start = end + 1, end = text.find('\n', start)) {
    const std::string_view line(text.data() + start, end - start);
    GYRE_ASSIGN_OR_RETURN(Json value,
                          Json::Parse(line, Cat(path, ":", values.size() + 1)));
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace gyre::internal::inline monitor

#include "apps/gyre/launch/hosts/host_file.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "gyre/collectives/control_area.h"
#include "gyre/collectives/launch_env.h"

namespace gyre::internal::inline apps {
namespace {

constexpr char kForm[] = "NAME [slots=RANKS] [address=ADDRESS] was expected";

// False: `word` is no such setting.
bool Apply(std::string_view word, Host& host) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = word.substr(0, equals);
  const std::string_view value = word.substr(equals + 1);
  if (name == "address" && !value.empty()) {
    host.address = value;
    return true;
  }
  if (name != "slots") return false;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, host.slots);
  return error == std::errc() && stop == end && host.slots > 0 &&
         host.slots <= kMaxLocalRanks;
}

}  // namespace

StatusOr<std::vector<Host>> ParseHosts(std::string_view text,
                                       const std::string& source) {
  std::vector<Host> hosts;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    Host host;
    if (!(words >> host.name)) continue;
    host.address = host.name;
    // A name that looks like an option would be one for --rsh.
    bool good = host.name[0] != '-' && host.name.find('=') == std::string::npos;
    for (std::string word; words >> word;) good = good && Apply(word, host);
    if (!good) {
      return ConfigError(source, ":", number, ": \"", line, "\": ", kForm);
    }
    if (std::any_of(hosts.begin(), hosts.end(), [&](const Host& h) {
          return h.name == host.name;
        })) {
      return ConfigError(source,
                         ":",
                         number,
                         ": ",
                         host.name,
                         " is listed twice; give it more slots");
    }
    hosts.push_back(std::move(host));
  }
  if (hosts.empty()) return ConfigError(source, ": no host; ", kForm);
  return hosts;
}

StatusOr<std::vector<HostShare>> ShareOut(const std::vector<Host>& hosts,
                                          int ranks) {
  int slots = 0;
  for (const Host& host : hosts) slots += host.slots;
  if (ranks == 0) ranks = slots;
  if (ranks > slots || slots > kMaxRanks) {
    return ConfigError(
        "gyre launch: ", ranks, " ranks, but the hosts have ", slots, " slots");
  }
  std::vector<HostShare> shares;
  int first = 0;
  for (const Host& host : hosts) {
    const int here = std::min(host.slots, ranks - first);
    if (here == 0) break;
    shares.push_back({host, first, here});
    first += here;
  }
  return shares;
}

}  // namespace gyre::internal::inline apps

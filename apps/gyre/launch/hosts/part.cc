#include "apps/gyre/launch/hosts/part.h"

#include <utility>

namespace gyre::internal::inline apps {
namespace {

// The texts of an array.
StatusOr<std::vector<std::string>> Texts(const Json& json, const char* key) {
  const Json* const array = json.Find(key);
  if (array == nullptr) return ConfigError("no ", key);
  std::vector<std::string> texts;
  for (const Json& element : array->elements()) {
    GYRE_ASSIGN_OR_RETURN(std::string text, element.AsString());
    texts.push_back(std::move(text));
  }
  return texts;
}

StatusOr<int> Int(const Json& json, const char* key) {
  GYRE_ASSIGN_OR_RETURN(const std::int64_t value, json.GetInt(key));
  return static_cast<int>(value);
}

Status ReadOptions(const Json& json, LaunchOptions& options) {
  GYRE_ASSIGN_OR_RETURN(options.ranks, Int(json, "ranks"));
  GYRE_ASSIGN_OR_RETURN(options.log_dir, json.GetString("log_dir"));
  GYRE_ASSIGN_OR_RETURN(options.grace_s, json.GetDouble("grace_s"));
  if (!json.Find("deadline_s")->is_null()) {
    GYRE_ASSIGN_OR_RETURN(options.deadline_s, json.GetDouble("deadline_s"));
  }
  GYRE_ASSIGN_OR_RETURN(options.bind, json.GetBool("bind"));
  GYRE_ASSIGN_OR_RETURN(options.network.collectives,
                        json.GetString("collectives"));
  GYRE_ASSIGN_OR_RETURN(options.network.tls, json.GetString("tls"));
  GYRE_ASSIGN_OR_RETURN(options.network.insecure, json.GetBool("insecure"));
  GYRE_ASSIGN_OR_RETURN(options.command, Texts(json, "command"));
  GYRE_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                        Texts(json, "env_names"));
  GYRE_ASSIGN_OR_RETURN(const std::vector<std::string> values,
                        Texts(json, "env_values"));
  if (options.ranks < 1 || options.command.empty() ||
      names.size() != values.size()) {
    return ConfigError("it is not complete");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    options.env.emplace_back(names[i], values[i]);
  }
  return OkStatus();
}

Status ReadMeeting(const Json& json, Meeting& meeting) {
  GYRE_ASSIGN_OR_RETURN(meeting.token, json.GetString("token"));
  GYRE_ASSIGN_OR_RETURN(meeting.restart, Int(json, "restart"));
  GYRE_ASSIGN_OR_RETURN(meeting.first_rank, Int(json, "first_rank"));
  GYRE_ASSIGN_OR_RETURN(meeting.size, Int(json, "size"));
  GYRE_ASSIGN_OR_RETURN(meeting.coordinator, json.GetString("coordinator"));
  return OkStatus();
}

}  // namespace

Json ToJson(const Part& part) {
  const LaunchOptions& options = part.options;
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const auto& variable : options.env) {
    names.push_back(variable.first);
    values.push_back(variable.second);
  }
  return Json::Object(
      {{"ranks", options.ranks},
       {"log_dir", options.log_dir},
       {"grace_s", options.grace_s},
       {"deadline_s",
        options.deadline_s.has_value() ? Json(*options.deadline_s) : Json()},
       {"bind", options.bind},
       {"collectives", options.network.collectives},
       {"tls", options.network.tls},
       {"insecure", options.network.insecure},
       {"command", Json::ArrayOf(options.command)},
       {"env_names", Json::ArrayOf(names)},
       {"env_values", Json::ArrayOf(values)},
       {"token", part.meeting.token},
       {"restart", part.meeting.restart},
       {"first_rank", part.meeting.first_rank},
       {"size", part.meeting.size},
       {"coordinator", part.meeting.coordinator},
       {"host", part.host},
       {"folder", part.folder},
       {"certificates", part.certificates}});
}

StatusOr<Part> PartFromJson(const Json& json) {
  Part part;
  if (json.Find("deadline_s") == nullptr) return ConfigError("no deadline_s");
  GYRE_RETURN_IF_ERROR(ReadOptions(json, part.options));
  GYRE_RETURN_IF_ERROR(ReadMeeting(json, part.meeting));
  GYRE_ASSIGN_OR_RETURN(part.host, json.GetString("host"));
  GYRE_ASSIGN_OR_RETURN(part.folder, json.GetString("folder"));
  GYRE_ASSIGN_OR_RETURN(part.certificates, json.GetString("certificates"));
  return part;
}

}  // namespace gyre::internal::inline apps

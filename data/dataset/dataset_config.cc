#include "gyre/data/dataset/dataset_config.h"

#include <algorithm>
#include <filesystem>

#include "gyre/core/nearest_word.h"
#include "gyre/data/dataset/toml.h"

namespace gyre {

using namespace internal;

namespace {

// Reads one table, and words its errors.
class TableReader {
 public:
  // `place`: "storm.toml: [[channel]] 2".
  TableReader(const Json& table, std::string place)
      : table_(table), place_(std::move(place)) {}

  template <class... Parts>
  Status Bad(const Parts&... parts) const {
    return ConfigError(place_, ": ", parts...);
  }

  Status CheckKeys(const std::vector<std::string>& known) const {
    if (!table_.is_object()) return Bad("expected a table");
    for (const auto& [key, value] : table_.members()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      const std::string meant = NearestWord(key, known);
      std::string list;
      for (const std::string& word : known) {
        list += (list.empty() ? "" : ", ") + word;
      }
      return Bad("unknown key \"",
                 key,
                 "\"",
                 meant.empty() ? "" : "; did you mean " + meant + "?",
                 " The keys are: ",
                 list);
    }
    return OkStatus();
  }

  Status Text(const char* key, bool needed, std::string* text) const {
    const Json* found = table_.Find(key);
    if (found == nullptr) {
      return needed ? Bad("expected ", key, " = \"...\"") : OkStatus();
    }
    if (!found->is_string()) return Bad(key, " must be a text in quotes");
    *text = *found->AsString();
    return OkStatus();
  }

  // A list of texts, or one text.
  Status Texts(const char* key, std::vector<std::string>* texts) const {
    const Json* found = table_.Find(key);
    if (found == nullptr) return OkStatus();
    texts->clear();
    if (found->is_string()) texts->push_back(*found->AsString());
    for (const Json& one : found->elements()) {
      if (!one.is_string()) return Bad(key, " must be a list of texts");
      texts->push_back(*one.AsString());
    }
    return texts->empty() ? Bad(key, " must be a list of texts") : OkStatus();
  }

  Status Numbers(const char* key,
                 std::size_t count,
                 std::vector<double>* numbers) const {
    const Json* found = table_.Find(key);
    if (found == nullptr) return OkStatus();
    const bool one = count == 1 && found->is_number();
    const Json::Elements list =
        one ? Json::Elements{*found} : found->elements();
    for (const Json& element : list) {
      if (!element.is_number()) return Bad(key, " must hold numbers");
      numbers->push_back(*element.AsDouble());
    }
    if (numbers->size() != count) {
      return Bad(key, " must be ", count == 1 ? "one number" : "[low, high]");
    }
    return OkStatus();
  }

 private:
  const Json& table_;
  std::string place_;
};

class ConfigReader {
 public:
  explicit ConfigReader(const std::string& path) : path_(path) {
    config_.path = path;
  }

  StatusOr<DatasetConfig> Read() {
    GYRE_ASSIGN_OR_RETURN(const Json json, ReadToml(path_));
    const TableReader top(json, path_);
    GYRE_RETURN_IF_ERROR(top.CheckKeys({"files", "periods", "channel"}));
    GYRE_RETURN_IF_ERROR(top.Texts("files", &files_));
    const Json* periods = json.Find("periods");
    if (periods == nullptr) {
      return top.Bad("expected [periods] with train = [\"FIRST\", \"LAST\"]");
    }
    GYRE_RETURN_IF_ERROR(ReadPeriods(*periods));
    const Json* channels = json.Find("channel");
    if (channels == nullptr || channels->elements().empty()) {
      return top.Bad("expected one [[channel]] or more");
    }
    for (const Json& channel : channels->elements()) {
      GYRE_RETURN_IF_ERROR(ReadChannel(channel));
    }
    return config_;
  }

 private:
  Status ReadPeriods(const Json& json) {
    const TableReader table(json, path_ + ": [periods]");
    GYRE_RETURN_IF_ERROR(table.CheckKeys({"train", "validation", "test"}));
    if (json.Find("train") == nullptr) {
      return table.Bad("expected train = [\"FIRST\", \"LAST\"]");
    }
    for (const auto& [name, value] : json.members()) {
      std::vector<std::string> ends;
      GYRE_RETURN_IF_ERROR(table.Texts(name.c_str(), &ends));
      if (ends.size() != 2) {
        return table.Bad(name, " must be [\"FIRST\", \"LAST\"]");
      }
      const PeriodConfig period = {ends[0], ends[1]};
      if (name == "train") config_.train = period;
      if (name == "validation") config_.validation = period;
      if (name == "test") config_.test = period;
    }
    return OkStatus();
  }

  Status ReadChannel(const Json& json) {
    const TableReader table(
        json, Cat(path_, ": [[channel]] ", config_.channels.size() + 1));
    GYRE_RETURN_IF_ERROR(table.CheckKeys({"name",
                                          "variable",
                                          "files",
                                          "level",
                                          "units",
                                          "units_of_file",
                                          "range"}));
    ChannelConfig channel;
    channel.files = files_;
    GYRE_RETURN_IF_ERROR(table.Text("name", true, &channel.name));
    channel.variable = channel.name;
    GYRE_RETURN_IF_ERROR(table.Text("variable", false, &channel.variable));
    GYRE_RETURN_IF_ERROR(table.Text("units", false, &channel.units));
    GYRE_RETURN_IF_ERROR(
        table.Text("units_of_file", false, &channel.units_of_file));
    GYRE_RETURN_IF_ERROR(table.Texts("files", &channel.files));
    std::vector<double> level, range;
    GYRE_RETURN_IF_ERROR(table.Numbers("level", 1, &level));
    GYRE_RETURN_IF_ERROR(table.Numbers("range", 2, &range));
    if (!level.empty()) channel.level = level[0];
    if (!range.empty()) {
      channel.lowest = range[0];
      channel.highest = range[1];
      if (!(range[0] < range[1])) return table.Bad("range must be [low, high]");
    }
    if (channel.files.empty()) {
      return table.Bad("expected files = [\"...\"], here or at the top");
    }
    for (const ChannelConfig& other : config_.channels) {
      if (other.name == channel.name) {
        return table.Bad("the name ", channel.name, " is taken");
      }
    }
    const std::filesystem::path folder =
        std::filesystem::path(path_).parent_path();
    for (std::string& file : channel.files) file = (folder / file).string();
    config_.channels.push_back(std::move(channel));
    return OkStatus();
  }

  std::string path_;
  std::vector<std::string> files_;
  DatasetConfig config_;
};

}  // namespace

StatusOr<DatasetConfig> ReadDatasetConfig(const std::string& path) {
  return ConfigReader(path).Read();
}

}  // namespace gyre

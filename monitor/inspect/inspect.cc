#include "gyre/monitor/inspect/inspect.h"

#include <algorithm>

#include "gyre/monitor/inspect/json_diff.h"
#include "gyre/monitor/inspect/tensor_facts.h"
#include "gyre/monitor/number_text.h"

namespace gyre::internal::inline monitor {
namespace {

void Copy(const Json& from, std::string_view key, Json& to) {
  const Json* value = from.Find(key);
  if (value != nullptr) to.Set(key, *value);
}

Json OrNull(const std::optional<Json>& value) {
  return value.has_value() ? *value : Json();
}

Json ToJson(const TensorFacts& facts, const Tensor& tensor) {
  Json json = Json::Object({{"dtype", Name(tensor.dtype())},
                            {"shape", Cat(tensor.shape())},
                            {"least", facts.least},
                            {"largest", facts.largest},
                            {"norm", facts.norm}});
  if (facts.not_finite > 0) {
    json.Set("not_finite", facts.not_finite)
        .Set("first_not_finite", facts.first_not_finite);
  }
  return json;
}

Json ToJson(const TensorDifference& d, const Tensor& a, const Tensor& b) {
  if (!d.comparable) {
    return Json::Object(
        {{"shape_a", Cat(a.shape())}, {"shape_b", Cat(b.shape())}});
  }
  return Json::Object({{"different", d.different},
                       {"elements", a.elements()},
                       {"first", d.first},
                       {"largest", d.largest},
                       {"relative", d.relative},
                       {"largest_relative", d.largest_relative},
                       {"not_finite_a", d.not_finite_a},
                       {"not_finite_b", d.not_finite_b}});
}

// Of the values that say nothing about equality: when, and where.
Json WithoutHashes(const Json& manifest) {
  Json out = Json::Object();
  for (const auto& [key, value] : manifest.members()) {
    if (key != "hashes") out.Set(key, value);
  }
  return out;
}

std::string Plain(const Json& value) {
  if (value.is_number() && !value.is_int()) {
    return NumberText(value.AsDouble().value_or(0));
  }
  const auto text = value.AsString();
  return text.ok() ? *text : value.Dump();
}

bool IsLeaf(const Json& value) {
  return value.members().empty() && value.elements().empty();
}

// An object of plain values on one line, as of a tensor.
bool OneLine(const Json& value) {
  return value.is_object() &&
         std::all_of(value.members().begin(),
                     value.members().end(),
                     [](const auto& m) { return IsLeaf(m.second); });
}

void AddWords(const Json& json, const std::string& indent, std::string& out) {
  for (const auto& [key, value] : json.members()) {
    out += Cat(indent, key, ":");
    if (IsLeaf(value)) {
      const bool empty = value.is_object() || value.is_array();
      out += Cat(" ", empty ? "none" : Plain(value), "\n");
    } else if (indent.size() > 0 && OneLine(value)) {
      for (const auto& [name, leaf] : value.members()) {
        out += Cat("  ", name, " ", Plain(leaf));
      }
      out += "\n";
    } else {
      out += "\n";
      AddWords(value, indent + "  ", out);
    }
  }
  for (const Json& element : json.elements()) {
    if (!OneLine(element) || IsLeaf(element)) {
      out += indent + Plain(element) + "\n";
      continue;
    }
    std::string line;
    for (const auto& [name, leaf] : element.members()) {
      line += Cat(line.empty() ? "" : "  ", name, " ", Plain(leaf));
    }
    out += indent + line + "\n";
  }
}

}  // namespace

Json InspectRun(const RunRecords& records) {
  Json json = Json::Object();
  json.Set("run", records.path);
  for (const char* key : {"program",
                          "world",
                          "mesh",
                          "collectives",
                          "fingerprint",
                          "seed",
                          "unguarded",
                          "optimizer"}) {
    Copy(records.run, key, json);
  }
  json.Set("steps", records.metrics.size());
  if (!records.metrics.empty()) {
    const Json& last = records.metrics.back();
    for (const char* key : {"step", "loss", "grad_norm", "lr", "skipped"}) {
      const Json* value = last.Find(key);
      if (value != nullptr) json.Set(Cat("last_", key), *value);
    }
  }
  Json kinds = Json::Object();
  for (const Event& event : records.events) {
    const auto before = kinds.GetInt(event.kind);
    kinds.Set(event.kind, before.value_or(0) + 1);
  }
  json.Set("events", std::move(kinds));
  Json checkpoints = Json::Array();
  for (const CheckpointRecord& checkpoint : records.checkpoints) {
    Json one = Json::Object({{"name", checkpoint.name}});
    Copy(checkpoint.manifest, "good", one);
    Copy(checkpoint.manifest, "params_hash", one);
    checkpoints.Append(std::move(one));
  }
  json.Set("checkpoints", std::move(checkpoints));
  json.Set("notes", Json::ArrayOf(records.notes));
  return json;
}

Json InspectCheckpoint(const CheckpointFiles& files) {
  Json json = Json::Object({{"checkpoint", files.folder}});
  const Json manifest = WithoutHashes(files.manifest);
  for (const auto& [key, value] : manifest.members()) {
    json.Set(key, value);
  }
  Json tensors = Json::Object();
  std::int64_t elements = 0;
  std::int64_t bad = 0;
  for (const auto& [name, tensor] : files.tensors) {
    const TensorFacts facts = FactsOf(tensor);
    elements += tensor.elements();
    bad += facts.not_finite;
    tensors.Set(name, ToJson(facts, tensor));
  }
  json.Set("elements", elements)
      .Set("not_finite", bad)
      .Set("problems", Json::ArrayOf(files.problems))
      .Set("tensors", std::move(tensors));
  return json;
}

Json CompareJson(const Json& a, const Json& b) {
  Json list = Json::Array();
  for (const JsonDifference& d : DiffJson(a, b)) {
    list.Append(Json::Object(
        {{"path", d.path}, {"a", OrNull(d.a)}, {"b", OrNull(d.b)}}));
  }
  const bool same = list.elements().empty();
  return Json::Object({{"same", same}, {"differences", std::move(list)}});
}

Json CompareCheckpoints(const CheckpointFiles& a, const CheckpointFiles& b) {
  Json only_a = Json::Array();
  Json only_b = Json::Array();
  Json tensors = Json::Object();
  std::int64_t equal = 0;
  for (const auto& [name, tensor] : a.tensors) {
    const auto other = b.tensors.find(name);
    if (other == b.tensors.end()) {
      only_a.Append(name);
      continue;
    }
    const TensorDifference d = Compare(tensor, other->second);
    if (d.comparable && d.different == 0) {
      ++equal;
    } else {
      tensors.Set(name, ToJson(d, tensor, other->second));
    }
  }
  for (const auto& [name, tensor] : b.tensors) {
    if (a.tensors.count(name) == 0) only_b.Append(name);
  }
  const bool same = only_a.elements().empty() && only_b.elements().empty() &&
                    tensors.members().empty();
  return Json::Object(
      {{"a", a.folder},
       {"b", b.folder},
       {"same", same},
       {"manifest",
        CompareJson(WithoutHashes(a.manifest), WithoutHashes(b.manifest))},
       {"only_a", std::move(only_a)},
       {"only_b", std::move(only_b)},
       {"equal", equal},
       {"tensors", std::move(tensors)},
       {"problems_a", Json::ArrayOf(a.problems)},
       {"problems_b", Json::ArrayOf(b.problems)}});
}

std::string InWords(const Json& json) {
  std::string out;
  AddWords(json, "", out);
  return out;
}

}  // namespace gyre::internal::inline monitor

#include "gyre/monitor/inspect/difference_table.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gyre/monitor/number_text.h"

namespace gyre::internal::inline monitor {
namespace {

// A value of run.json may be a whole object.
constexpr std::size_t kLongest = 60;

using Row = std::vector<std::string>;

std::string Plain(const Json* value) {
  if (value == nullptr || value->is_null()) return "-";
  std::string text;
  if (value->is_string()) {
    text = *value->AsString();
  } else if (value->is_number() && !value->is_int()) {
    text = NumberText(value->AsDouble().value_or(0));
  } else {
    text = value->Dump();
  }
  if (text.size() > kLongest) text = text.substr(0, kLongest - 3) + "...";
  return text;
}

// Columns as wide as their widest entry; the last one has no blanks after it.
std::string Aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], row[c].size());
    }
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line = " ";
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::string cell = row[c];
      if (c + 1 < row.size()) cell.resize(widths[c], ' ');
      line += " " + cell + " ";
    }
    while (line.back() == ' ') line.pop_back();
    text += line + "\n";
  }
  return text;
}

std::string FieldsText(const std::string& title, const Json& fields) {
  const Json* list = fields.Find("differences");
  if (list == nullptr) return "";
  if (list->elements().empty()) return title + ": the same\n";
  std::vector<Row> rows = {{"field", "a", "b"}};
  for (const Json& d : list->elements()) {
    rows.push_back(
        {Plain(d.Find("path")), Plain(d.Find("a")), Plain(d.Find("b"))});
  }
  return Cat(title, ": ", list->elements().size(), " differ\n", Aligned(rows));
}

Row TensorRow(const std::string& name, const Json& d) {
  const auto both = [&](const char* a, const char* b) {
    return Cat(Plain(d.Find(a)), " | ", Plain(d.Find(b)));
  };
  if (d.Find("shape_a") != nullptr) {
    return {
        name, "shape " + both("shape_a", "shape_b"), "-", "-", "-", "-", "-"};
  }
  return {name,
          Cat(Plain(d.Find("different")), " of ", Plain(d.Find("elements"))),
          Plain(d.Find("first")),
          Plain(d.Find("largest")),
          Plain(d.Find("largest_relative")),
          Plain(d.Find("relative")),
          both("not_finite_a", "not_finite_b")};
}

std::string TensorsText(const Json& checkpoint) {
  std::string text;
  for (const char* side : {"only_a", "only_b"}) {
    const Json* names = checkpoint.Find(side);
    if (names == nullptr) continue;
    for (const Json& name : names->elements()) {
      text += Cat("  ", side, ": ", Plain(&name), "\n");
    }
  }
  for (const char* side : {"problems_a", "problems_b"}) {
    const Json* problems = checkpoint.Find(side);
    if (problems == nullptr) continue;
    for (const Json& problem : problems->elements()) {
      text += Cat("  ", side, ": ", *problem.AsString(), "\n");
    }
  }
  const Json* tensors = checkpoint.Find("tensors");
  const bool none = tensors == nullptr || tensors->members().empty();
  std::vector<Row> rows = {{"tensor",
                            "differ",
                            "first",
                            "largest",
                            "relative",
                            "norm",
                            "not finite"}};
  if (!none) {
    for (const auto& [name, d] : tensors->members()) {
      rows.push_back(TensorRow(name, d));
    }
  }
  return Cat("tensors: ",
             Plain(checkpoint.Find("equal")),
             " the same, ",
             none ? 0 : tensors->members().size(),
             " differ\n",
             text,
             none ? "" : Aligned(rows));
}

}  // namespace

std::string DifferenceTable(const Json& comparison) {
  bool same = true;
  for (const auto& [key, part] : comparison.members()) {
    same = same && part.GetBool("same").value_or(false);
  }
  std::string text = Cat("same: ", same ? "true" : "false", "\n");
  if (const Json* run = comparison.Find("run")) {
    text += FieldsText("run.json", *run);
  }
  const Json* checkpoint = comparison.Find("checkpoint");
  if (checkpoint == nullptr) return text;
  text += Cat("a: ",
              Plain(checkpoint->Find("a")),
              "\nb: ",
              Plain(checkpoint->Find("b")),
              "\n");
  if (const Json* manifest = checkpoint->Find("manifest")) {
    text += FieldsText("manifest.json", *manifest);
  }
  return text + TensorsText(*checkpoint);
}

}  // namespace gyre::internal::inline monitor

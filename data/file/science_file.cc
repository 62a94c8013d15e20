#include "gyre/data/file/science_file.h"

#include "gyre/core/nearest_word.h"

namespace gyre::internal::inline data {

std::string TrimmedEnd(std::string text) {
  text.resize(text.find_last_not_of(std::string(" \0\n", 3)) + 1);
  return text;
}

const FileAttribute* VariableInfo::Find(std::string_view attribute) const {
  for (const FileAttribute& a : attributes) {
    if (a.name == attribute) return &a;
  }
  return nullptr;
}

std::string VariableInfo::Text(std::string_view attribute) const {
  const FileAttribute* found = Find(attribute);
  return found != nullptr && found->is_text() ? found->text : "";
}

const VariableInfo* ScienceFile::FindOrNull(std::string_view name) const {
  for (const VariableInfo& variable : variables_) {
    if (variable.name == name) return &variable;
  }
  return nullptr;
}

StatusOr<const VariableInfo*> ScienceFile::Find(std::string_view name) const {
  if (const VariableInfo* found = FindOrNull(name)) return found;
  std::vector<std::string> names;
  std::string list;
  for (const VariableInfo& variable : variables_) {
    names.push_back(variable.name);
    if (names.size() <= 20) list += (list.empty() ? "" : ", ") + names.back();
  }
  const std::string meant = NearestWord(std::string(name), names);
  return DataError(path_,
                   ": variable ",
                   name,
                   ": the file has none of that name",
                   meant.empty() ? "" : "; did you mean " + meant + "?",
                   " It has: ",
                   list);
}

StatusOr<std::string> ScienceFile::ReadText(std::string_view variable) const {
  GYRE_ASSIGN_OR_RETURN(const VariableInfo* info, Find(variable));
  if (info->type != StoredType::kChar) {
    return DataError(path_,
                     ": variable ",
                     variable,
                     ": expected text, got numbers of type ",
                     info->type);
  }
  std::string text(static_cast<std::size_t>(info->shape.elements()), '\0');
  const std::vector<std::size_t> start(info->dims.size(), 0);
  const std::vector<std::size_t> count(info->shape.dims().begin(),
                                       info->shape.dims().end());
  GYRE_RETURN_IF_ERROR(
      ReadRaw(*info, start, count, reinterpret_cast<std::byte*>(text.data())));
  return TrimmedEnd(std::move(text));
}

}  // namespace gyre::internal::inline data

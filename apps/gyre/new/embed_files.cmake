# cmake -D FILES=a;b -D OUTPUT=project_files.cc -P embed_files.cmake
# Writes the definition of ProjectFiles(): the texts of FILES by their names.
set(code "// Made by embed_files.cmake.\n
#include \"apps/gyre/new/project_files.h\"\n
namespace gyre::internal::inline apps {\n
std::span<const ProjectFile> ProjectFiles() {
  static constexpr ProjectFile kFiles[] = {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  if(name STREQUAL "gitignore")
    set(name ".gitignore")
  endif()
  file(READ ${file} text)
  string(APPEND code "{\"${name}\", R\"gyre_file(${text})gyre_file\"},\n")
endforeach()
string(APPEND code "  };\n  return kFiles;\n}\n\n}  // namespace gyre::internal::inline apps\n")
file(WRITE ${OUTPUT} "${code}")
